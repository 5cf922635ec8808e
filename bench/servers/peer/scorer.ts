/** A plain scorer of readmission30: looks at each field of a parsed record, lists every problem, and computes the risk. */

export type Domain =
  | {
      readonly kind: 'integer' | 'decimal'
      readonly from: number
      readonly to: number
      readonly step?: number
    }
  | { readonly kind: 'list'; readonly values: readonly number[]; readonly whole: boolean }
  | { readonly kind: 'code'; readonly codes: readonly string[] }
  | { readonly kind: 'yesNo' | 'date' }

export interface Definitions {
  /** In the order in which problems are listed. */
  readonly fields: readonly { readonly name: string; readonly item: string; readonly domain: Domain }[]
  /** The fields that a total is the sum of, by the name of the total. */
  readonly sums: Readonly<Record<string, readonly string[]>>
}

export interface Result {
  readonly idx: number | null
  readonly risk: number | null
  readonly error_message: readonly ErrorMessage[] | null
}

interface ErrorMessage {
  readonly Field: string
  readonly FieldDate: string
  readonly ExtendError: string
}

interface Field {
  readonly name: string
  readonly item: string
  readonly domain: Domain
  /** Where its problems stand among those of a record. */
  readonly place: number
  readonly isRequired: boolean
  readonly parts: readonly string[] | undefined
}

interface Problem {
  readonly field: Pick<Field, 'name' | 'item' | 'place'>
  readonly reason: string
  readonly isBlocking: boolean
}

type Json = Readonly<Record<string, unknown>>

const REQUIRED = new Set(['age', 'sex', 'inpatientAdmissions', 'emergencyAdmissions', 'stayDays'])
const SEX: Readonly<Record<string, number>> = { F: 0, M: 0.023605, X: 0.0118025 }
const SAME = 1e-9
const MISSING = 'missing'

export class PlainScorer {
  private readonly fields: ReadonlyMap<string, Field>
  private readonly required: readonly Field[]
  private readonly scales: ReadonlySet<string>

  constructor({ fields, sums }: Definitions) {
    const all = fields.map(({ name, item, domain }, place): Field => ({
      name,
      item,
      domain,
      place,
      isRequired: REQUIRED.has(name),
      parts: sums[name],
    }))
    this.fields = new Map(all.map((field) => [field.name, field]))
    this.required = all.filter(({ isRequired }) => isRequired)
    this.scales = new Set(all.map(({ name }) => prefixOf(name)).filter(Boolean))
  }

  score(records: readonly Json[]): readonly Result[] {
    const counts = new Map<unknown, number>()
    for (const { idx } of records) counts.set(idx, (counts.get(idx) ?? 0) + 1)
    const now = Date.now()
    return records.map((record) => this.scoreRecord(record, counts.get(record['idx']) === 1, now))
  }

  private scoreRecord(record: Json, isUnique: boolean, now: number): Result {
    const idx = Number.isSafeInteger(record['idx']) ? (record['idx'] as number) : null
    const problems: Problem[] = []
    const totals: Field[] = []
    if (idx === null || !isUnique) problems.push(idxProblem(idx))
    for (const name in record) {
      const field = this.fields.get(name)
      const value = record[name]
      if (field === undefined) {
        if (this.scales.has(prefixOf(name))) problems.push(unknownField(name))
      } else if (value !== null) {
        const reason = faultOf(field.domain, value, now)
        if (reason !== undefined) problems.push({ field, reason, isBlocking: field.isRequired })
        else if (field.parts !== undefined) totals.push(field)
      }
    }
    for (const field of this.required) {
      if ((record[field.name] ?? null) === null) problems.push({ field, reason: MISSING, isBlocking: true })
    }
    for (const total of totals) checkSum(total, record, problems)
    if (problems.length === 0) return { idx, risk: riskOf(record), error_message: null }
    problems.sort((a, b) => a.field.place - b.field.place)
    return {
      idx,
      risk: problems.some(({ isBlocking }) => isBlocking) ? null : riskOf(record),
      error_message: problems.map((problem) => messageOf(problem, record, idx, problems)),
    }
  }
}

function prefixOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('_')))
}

function idxProblem(idx: number | null): Problem {
  const reason = idx === null ? 'not an integer' : 'duplicate'
  return { field: { name: 'idx', item: 'Idx', place: -1 }, reason, isBlocking: true }
}

/** A name that starts like a scale was meant as one of its fields. */
function unknownField(name: string): Problem {
  const item = name.slice(name.indexOf('_') + 1)
  const field = { name, item: item.charAt(0).toUpperCase() + item.slice(1), place: Infinity }
  return { field, reason: 'unknown field', isBlocking: false }
}

function faultOf(domain: Domain, value: unknown, now: number): string | undefined {
  switch (domain.kind) {
    case 'integer':
      if (typeof value !== 'number' || !Number.isInteger(value)) return 'not an integer'
      return value < domain.from || value > domain.to ? 'out of range' : undefined
    case 'decimal':
      if (typeof value !== 'number') return 'not a number'
      return value < domain.from || value > domain.to || !isOnStep(value, domain.step)
        ? 'out of range'
        : undefined
    case 'list':
      if (domain.values.includes(value as number)) return undefined
      if (typeof value !== 'number') return domain.whole ? 'not an integer' : 'not a number'
      return domain.whole && !Number.isInteger(value) ? 'not an integer' : 'out of range'
    case 'code':
      return domain.codes.includes(value as string) ? undefined : 'not a permitted value'
    case 'yesNo':
      return typeof value === 'boolean' ? undefined : 'not a permitted value'
    case 'date':
      return dateFault(value, now)
  }
}

function isOnStep(value: number, step: number | undefined): boolean {
  return step === undefined || Math.abs(value / step - Math.round(value / step)) < SAME
}

function dateFault(value: unknown, now: number): string | undefined {
  const [, day, month, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(typeof value === 'string' ? value : '') ?? []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return 'not a valid date'
  return date.getTime() > now ? 'date in the future' : undefined
}

/** A total must be the sum of the items that are given, unless one of them is wrong. */
function checkSum(field: Field, record: Json, problems: Problem[]): void {
  let sum = 0
  let given = 0
  for (const part of field.parts ?? []) {
    const value = record[part] ?? null
    if (value === null) continue
    if (typeof value !== 'number' || isNamed(part, problems)) return
    given++
    sum += value
  }
  if (given === 0 || Math.abs(sum - (record[field.name] as number)) <= SAME) return
  const reason = `the sum of the given item values does not coincide with the provided total, computed sum ${sum}`
  problems.push({ field, reason, isBlocking: true })
}

function isNamed(name: string, problems: readonly Problem[]): boolean {
  return problems.some(({ field }) => field.name === name)
}

function messageOf(
  { field: { name, item }, reason }: Problem,
  record: Json,
  idx: number | null,
  problems: readonly Problem[],
): ErrorMessage {
  if (reason === MISSING) return { Field: name, FieldDate: '', ExtendError: `ValueMissing for value ${name}` }
  const date = `${prefixOf(name)}_date`
  return {
    Field: name,
    FieldDate: isNamed(date, problems) ? '' : ((record[date] ?? '') as string),
    ExtendError: `ValueError for value ${item} in idx ${idx ?? 0} (${reason})`,
  }
}

function riskOf(record: Json): number {
  const { age, sex, inpatientAdmissions, emergencyAdmissions, stayDays } = record as Record<string, number>
  const decades = (age as number) / 10
  const score =
    -0.104587 * decades +
    0.011698 * (decades * decades) +
    (SEX[String(sex)] as number) +
    0.741003 * Math.log(1 + (inpatientAdmissions as number)) +
    0.227101 * Math.log(1 + (emergencyAdmissions as number)) +
    0.210156 * Math.log(1 + (stayDays as number))
  const probability = 1 / (1 + Math.exp(-(-2.567027 + score)))
  return Math.min(9_999, Math.max(1, Math.round(probability * 10_000))) / 10_000
}
