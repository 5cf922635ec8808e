/** Bodies for the benchmark: records of 10, 50 and some 30 of 250 fields, right ones and, on demand, one in twenty with a fault. */
import { fileURLToPath } from 'node:url'
import { findModel, loadCatalog } from '@patient-risk/catalog'
import { type FieldPlan, type Plan, makePlan } from 'patient-risk-engine'

export type Shape = '10 fields' | '50 fields' | 'sparse'
export const SHAPES: readonly Shape[] = ['10 fields', '50 fields', 'sparse']

const SPARSE_POOL = 250
const SPARSE_FIELDS = 30
const FAULTY_SHARE = 0.05
/** Computed figures, and scales that need a declared coding or whose values depend on each other: a random value there is a fault. */
const NOT_FREE =
  /_(total|screening|assessment|balance|gait|coding|adjusted|ageAdjusted|beforeAge|date|\w+Reading|weight|weightBefore|height)$|^(cirs|charlson|fast|gaitSpeed)_/

type Value = number | string | boolean
type Entry = [string, Value]

export function loadPlan(): Plan {
  const { catalog } = loadCatalog([fileURLToPath(new URL('../clinical', import.meta.url))])
  const model = catalog === undefined ? undefined : findModel(catalog, 'readmission30')
  if (catalog === undefined || model === undefined) throw new Error('the clinical data do not load')
  return makePlan(catalog.definitions, model.definition)
}

/** The body of one request. The same arguments give the same bytes. */
export function makePayload(plan: Plan, shape: Shape, records: number, isFaulty: boolean): Buffer {
  const random = randomFrom(records * 31 + shape.length + (isFaulty ? 7 : 0))
  const texts: string[] = []
  for (let idx = 1; idx <= records; idx++) {
    const entries = [['idx', idx] as Entry, ...baseFields(random), ...further(plan, shape, random)]
    if (isFaulty && random() < FAULTY_SHARE) addFault(entries, random)
    texts.push(JSON.stringify(Object.fromEntries(entries)))
  }
  return Buffer.from(`[${texts.join(',')}]`)
}

function baseFields(random: () => number): Entry[] {
  return [
    ['age', 65 + whole(random, 35)],
    ['sex', random() < 0.5 ? 'F' : 'M'],
    ['inpatientAdmissions', whole(random, 6)],
    ['emergencyAdmissions', whole(random, 8)],
    ['stayDays', 1 + whole(random, 30)],
  ]
}

function further(plan: Plan, shape: Shape, random: () => number): Entry[] {
  switch (shape) {
    case '10 fields':
      return [
        ['haemoglobin', Math.round((90 + random() * 60) * 10) / 100],
        ['barthel_total', whole(random, 21) * 5],
        ['mna_total', whole(random, 61) / 2],
        ['charlson_total', whole(random, 10)],
      ]
    case '50 fields':
      return [
        ...scale(plan, 'barthel', random),
        ...scale(plan, 'mna', random),
        ...scale(plan, 'braden', random),
        ...scale(plan, 'frail', random),
      ].slice(0, 44)
    case 'sparse':
      return sparse(plan, random)
  }
}

/** The items of a scale, then its date and its right total. */
function scale(plan: Plan, id: string, random: () => number): Entry[] {
  const items = plan.fields
    .filter((field) => field.name.startsWith(`${id}_`) && !NOT_FREE.test(field.name))
    .map((field): Entry => [field.name, valueOf(field, random)])
  const sum = items.reduce((total, [, value]) => total + (value as number), 0)
  return [[`${id}_date`, '14-03-2025'], ...items, [`${id}_total`, sum]]
}

/** Another choice of fields for each record, in the order of the catalogue. */
function sparse(plan: Plan, random: () => number): Entry[] {
  const pool = plan.fields
    .filter(({ scale: of, name }) => of >= 0 && !NOT_FREE.test(name))
    .slice(0, SPARSE_POOL)
  let wanted = SPARSE_FIELDS - 6
  const entries: Entry[] = []
  pool.forEach((field, index) => {
    if (random() * (pool.length - index) >= wanted) return
    wanted--
    // Of alternatives only one may be given.
    if (field.name === 'mnaSf_calfCircumference') return
    entries.push([field.name, valueOf(field, random)])
  })
  return entries
}

function valueOf({ domain }: FieldPlan, random: () => number): Value {
  switch (domain.kind) {
    case 'list':
      return domain.values[whole(random, domain.values.length)] as number
    case 'code':
      return [...domain.codes.keys()][whole(random, domain.codes.size)] as string
    case 'yesNo':
      return random() < 0.5
    case 'integer':
    case 'decimal':
      return Math.round(domain.from + random() * (domain.to - domain.from))
    case 'date':
      return '14-03-2025'
  }
}

/** One fault of the kinds that callers make. */
function addFault(entries: Entry[], random: () => number): void {
  const faults: readonly (() => void)[] = [
    () => entries.splice(1, 1),
    () => (entries[1] = ['age', 480]),
    () => (entries[1] = ['age', '84']),
    () => (entries[2] = ['sex', 'female']),
    () => (entries[5] = ['stayDays', 2.5]),
    () => entries.push(['barthel_feeding', 7]),
    () => entries.push(['barthel_feding', 5]),
    () => entries.push(['mna_date', '31-02-2025']),
  ]
  faults[whole(random, faults.length)]?.()
}

function whole(random: () => number, end: number): number {
  return Math.floor(random() * end)
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}
