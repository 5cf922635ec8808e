/** What the tests of learning share: invented data with a known truth, and folders of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCatalog, type Catalog } from '@patient-risk/catalog'
import { randomFrom } from '@patient-risk/statistics'
import { checkSpecification } from '@patient-risk/data/learn'

export const CATALOG = loadCatalog(['clinical']).catalog as Catalog

/** The truth of the invented rows: a logit in age, sex, admissions and stay. */
export const TRUTH = { intercept: -3.2, age: 0.25, male: 0.3, admissions: 0.6, stay: 0.2 }

export interface InventedRow {
  readonly patient: number
  readonly age: number
  readonly sex: 'F' | 'M'
  readonly admissions: number
  readonly stay: number
  readonly died: 0 | 1
}

export const expit = (odds: number): number => 1 / (1 + Math.exp(-odds))

/** The log odds of the event, as the truth has them. */
export function trueOdds({ age, sex, admissions, stay }: Omit<InventedRow, 'patient' | 'died'>): number {
  return (
    TRUTH.intercept +
    (TRUTH.age * age) / 10 +
    (sex === 'M' ? TRUTH.male : 0) +
    TRUTH.admissions * Math.log(1 + admissions) +
    TRUTH.stay * Math.log(1 + stay)
  )
}

export function inventRows(count: number, seed: number): readonly InventedRow[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_each, index) => {
    const age = 20 + Math.floor(random() * 75)
    const sex = random() < 0.5 ? 'F' : 'M'
    const admissions = Math.floor(-Math.log(random()) * 0.9)
    const stay = 1 + Math.floor(-Math.log(random()) * 4)
    const died = random() < expit(trueOdds({ age, sex, admissions, stay })) ? 1 : 0
    return { patient: Math.floor(index / 2), age, sex, admissions, stay, died }
  })
}

export const HEADER = 'patient,age,sex,admissions,stay,died'

export function csvOf(rows: readonly InventedRow[]): string {
  const lines = rows.map((row) =>
    [row.patient, row.age, row.sex, row.admissions, row.stay, row.died].join(','),
  )
  return `${[HEADER, ...lines].join('\n')}\n`
}

const folders = mkdtempSync(join(tmpdir(), 'learn-'))
process.once('exit', () => rmSync(folders, { recursive: true, force: true }))

export function newFolder(): string {
  return mkdtempSync(join(folders, 'f-'))
}

/** Writes a file into a new folder and gives its path. */
export function fileWith(name: string, content: string | Uint8Array): string {
  const path = join(newFolder(), name)
  writeFileSync(path, content)
  return path
}

const CARD = {
  summary: 'Invented.',
  intendedUse: 'Tests.',
  users: 'Nobody.',
  population: 'Nobody.',
  setting: 'None.',
  outcome: 'An invented event.',
  horizonDays: 30,
  missingData: 'As the inputs say.',
  limits: ['Invented.'],
}

export const SPECIFICATION = {
  data: {
    outcome: { column: 'died', yes: ['1'], no: ['0'] },
    patient: 'patient',
    columns: {
      age: { column: 'age' },
      sex: { column: 'sex' },
      inpatientAdmissions: { column: 'admissions' },
      stayDays: { column: 'stay' },
    },
  },
  model: {
    id: 'invented',
    version: '1.0.0',
    title: 'Invented',
    card: CARD,
    inputs: {
      age: { from: 18, to: 110 },
      sex: { values: ['F', 'M'] },
      inpatientAdmissions: {},
      stayDays: {},
    },
    terms: [
      { kind: 'linear', field: 'age', per: 10 },
      { kind: 'category', field: 'sex', reference: 'F' },
      { kind: 'logarithm', field: 'inpatientAdmissions', plus: 1 },
      { kind: 'logarithm', field: 'stayDays', plus: 1 },
    ],
    threshold: { risk: 0.3, published: false, note: 'Invented.' },
    source: { cite: 'Invented.' },
    licence: { status: 'None.', shipped: 'Nothing.' },
  },
  fit: { bootstrap: 0 },
}

/** What a call of the fit needs, for a file of invented rows. */
export function fitInput(
  path: string,
  change: object = {},
): {
  catalog: Catalog
  data: ReturnType<typeof checkSpecification>['data']
  model: NonNullable<ReturnType<typeof checkSpecification>['model']>
  options: NonNullable<ReturnType<typeof checkSpecification>['fit']>
  path: string
  today: number
} {
  const { data, model, fit } = checkSpecification({ ...SPECIFICATION, ...change })
  if (model === undefined) throw new Error('the specification has a model')
  return { catalog: CATALOG, data, model, options: fit ?? {}, path, today: 20260101 }
}
