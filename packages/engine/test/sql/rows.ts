/** Random rows of a table: the same values as cells of text or typed, and as the records that the engine reads. */
import type { Domain } from '../../src/definition/domain.ts'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { FieldPlan, Plan } from '../../src/plan/plan.ts'
import type { ColumnType } from '../../src/sql/read-field.ts'
import type { Random } from '../../../../test/support/random.ts'
import { UNUSUAL_CELLS, UNUSUAL_DATES, UNUSUAL_IDXS, UNUSUAL_NUMBERS } from './unusual-cells.ts'

export interface TestColumn {
  readonly name: string
  readonly type: ColumnType
}

export type Value = string | number | boolean | null

export interface Table {
  readonly columns: readonly TestColumn[]
  /** A row has a value for each column; its position in the table is its number. */
  readonly rows: readonly (readonly Value[])[]
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** The records of a table as one JSON array, built as the service's callers would write them. */
export function bodyOf(table: Table, plan: Plan): Uint8Array {
  const columns = table.columns.map(({ name, type }) => {
    const kind = domainOf(plan, name)?.kind ?? 'integer'
    return { key: `${JSON.stringify(name)}:`, type, kind }
  })
  const records = table.rows.map((row) => {
    let members = ''
    for (const [place, { key, type, kind }] of columns.entries()) {
      const text = jsonOf(row[place] as Value, type, kind)
      if (text !== undefined) members += `${members === '' ? '' : ','}${key}${text}`
    }
    return `{${members}}`
  })
  return Buffer.from(`[${records.join(',')}]`)
}

const printed = new WeakMap<Table, readonly string[]>()

/** The rows with their positions as JSON objects, for the databases to load; printed once for all of them. */
export function jsonRows(table: Table): readonly string[] {
  const known = printed.get(table)
  if (known !== undefined) return known
  const keys = table.columns.map(({ name }) => `,${JSON.stringify(name)}:`)
  const lines = table.rows.map(
    (row, position) =>
      `{"pos":${position}${row.map((value, place) => `${keys[place] ?? ''}${JSON.stringify(value)}`).join('')}}`,
  )
  printed.set(table, lines)
  return lines
}

function jsonOf(value: Value, type: ColumnType, kind: Domain['kind']): string | undefined {
  if (value === null) return undefined
  if (type === 'date' && kind === 'date') {
    const [year, month, day] = String(value).split('-')
    return `"${day}-${month}-${year}"`
  }
  if (type !== 'cell') return JSON.stringify(value)
  if (value === '') return undefined
  const isNumber = kind === 'integer' || kind === 'decimal' || kind === 'list'
  const isWord = kind === 'yesNo' && (value === 'true' || value === 'false')
  return (isNumber && JSON_NUMBER.test(String(value))) || isWord ? String(value) : JSON.stringify(value)
}

function domainOf(plan: Plan, name: string): Domain | undefined {
  return plan.fields[plan.slotByName.get(name) ?? -1]?.domain
}

const FAULT = 0.02
const ABSENT = 0.03

/** A table with the model's inputs, whole scales and other fields. */
export function randomTable(
  random: Random,
  plan: Plan,
  model: ModelDefinition,
  count: number,
  isTyped: boolean,
  more: readonly string[] = [],
): Table {
  const fields = new Set([...Object.keys(model.inputs), ...more].map((name) => fieldOf(plan, name)))
  for (let scales = random.below(4); scales > 0; scales--) {
    const scale = random.below(plan.scales.length)
    for (const field of plan.fields) if (field.scale === scale && random.chance(0.97)) fields.add(field)
  }
  // A model's own scale with its items, so that totals are also worked out.
  for (const field of [...fields]) {
    if (field.scale < 0 || random.chance(0.3)) continue
    for (const other of plan.fields) if (other.scale === field.scale && random.chance(0.97)) fields.add(other)
  }
  for (let others = random.below(4); others > 0; others--) fields.add(random.pick(plan.fields))
  const chosen = plan.fields.filter((field) => fields.has(field))
  const columns = [
    { name: 'idx', type: isTyped ? ('integer' as const) : ('cell' as const) },
    ...chosen.map(({ name, domain }) => ({
      name,
      type: isTyped ? typeOf(random, domain) : ('cell' as const),
    })),
  ]
  return { columns, rows: randomRows(random, plan, columns, count) }
}

/** Rows for these columns, of which `idx` is the first. Its type says whether all of them are typed. */
export function randomRows(
  random: Random,
  plan: Plan,
  columns: readonly TestColumn[],
  count: number,
): readonly (readonly Value[])[] {
  const isTyped = columns[0]?.type !== 'cell'
  const chosen = columns.slice(1).map(({ name }) => fieldOf(plan, name))
  const groups = [...new Set(chosen.map(({ scale }) => scale))].map((scale) => ({
    isScale: scale >= 0,
    fields: chosen.filter((field) => field.scale === scale),
  }))
  return Array.from({ length: count }, (_, position) => {
    const values = new Map<string, Value>()
    for (const { isScale, fields: own } of groups) {
      if (!isScale) for (const field of own) values.set(field.name, anyValue(random, field.domain))
      else if (random.chance(0.7)) fillScale(random, own, values)
    }
    values.set('idx', random.chance(0.003) ? random.below(count) : position)
    return columns.map(({ name, type }) => {
      if (name === 'idx') return idxValue(random, values.get('idx') as number, isTyped)
      const value = random.chance(ABSENT) ? null : (values.get(name) ?? null)
      return isTyped ? typedValue(random, value, type) : cellValue(random, value)
    })
  })
}

function fieldOf(plan: Plan, name: string): FieldPlan {
  return plan.fields[plan.slotByName.get(name) as number] as FieldPlan
}

function typeOf(random: Random, domain: Domain): ColumnType {
  switch (domain.kind) {
    case 'integer':
    case 'list':
      return random.chance(0.5) ? 'integer' : 'number'
    case 'decimal':
      return 'number'
    case 'code':
      return random.chance(0.03) ? 'integer' : 'text'
    case 'yesNo':
      return random.chance(0.03) ? 'text' : 'boolean'
    case 'date':
      return random.chance(0.3) ? 'text' : 'date'
  }
}

/** Ends of names that a scale computes. */
const FIGURES = new Set(
  'total screening assessment balance gait ageAdjusted adjusted severityIndex comorbidityIndex'.split(' '),
)

/** Items of a scale, all or some of them, and often the sum that they give. */
function fillScale(random: Random, fields: readonly FieldPlan[], values: Map<string, Value>): void {
  const isWhole = random.chance(0.6)
  const keeps = random.chance(0.5) ? 0.5 : 0.1
  let sum = 0
  for (const { name, domain } of fields) {
    if (name.endsWith('_date')) values.set(name, anyValue(random, domain))
    else if (domain.kind !== 'list' || FIGURES.has(name.slice(name.lastIndexOf('_') + 1))) {
      if (random.chance(keeps)) values.set(name, anyValue(random, domain))
    } else if (isWhole || random.chance(keeps)) {
      const value = random.pick(
        domain.values.length > 2 && random.chance(0.8) ? domain.values.slice(0, 2) : domain.values,
      )
      values.set(name, value)
      sum += value
    }
  }
  const total = fields.find(({ name }) => name.endsWith('_total'))
  if (total !== undefined && random.chance(0.6)) values.set(total.name, Math.round(sum * 1000) / 1000)
}

function anyValue(random: Random, domain: Domain): Value {
  switch (domain.kind) {
    case 'integer':
      return (
        domain.from + random.below(Math.min(domain.to - domain.from + 1, random.chance(0.5) ? 40 : Infinity))
      )
    case 'decimal': {
      const value = domain.from + random.next() * (domain.to - domain.from)
      return random.chance(0.1) ? value : Number(value.toFixed(random.below(3)))
    }
    case 'list':
      return random.pick(domain.values)
    case 'code':
      return random.pick([...domain.codes.keys()])
    case 'yesNo':
      return random.chance(0.5)
    case 'date':
      return `${digits(1 + random.below(28))}-${digits(1 + random.below(12))}-${1990 + random.below(37)}`
  }
}

function cellValue(random: Random, value: Value): string | null {
  if (random.chance(FAULT)) return random.pick(UNUSUAL_CELLS)
  if (value === null) return random.chance(0.5) ? null : ''
  if (typeof value !== 'number' || !random.chance(0.02)) return String(value)
  return random.pick([value.toFixed(1), value.toFixed(3), value.toExponential(), `${value}e0`, `-${value}`])
}

function typedValue(random: Random, value: Value, type: ColumnType): Value {
  const isUnusual = random.chance(FAULT)
  switch (type) {
    case 'integer':
      return isUnusual
        ? Math.trunc(random.pick(UNUSUAL_NUMBERS.slice(0, 7)))
        : typeof value === 'number'
          ? Math.round(value)
          : value === null
            ? null
            : 1
    case 'number':
      return isUnusual ? random.pick(UNUSUAL_NUMBERS) : value
    case 'boolean':
      return value
    case 'date':
      return isUnusual
        ? random.pick(UNUSUAL_DATES)
        : value === null
          ? null
          : String(value).split('-').reverse().join('-')
    case 'text':
      return isUnusual ? random.pick(UNUSUAL_CELLS) : value === null ? null : String(value)
    case 'cell':
    case 'decimal':
    case 'other':
      return value
  }
}

function idxValue(random: Random, idx: number, isTyped: boolean): Value {
  if (!random.chance(0.01)) return isTyped ? idx : String(idx)
  return isTyped ? random.pick([null, -3, Number.MAX_SAFE_INTEGER]) : random.pick(UNUSUAL_IDXS)
}

function digits(number: number): string {
  return String(number).padStart(2, '0')
}
