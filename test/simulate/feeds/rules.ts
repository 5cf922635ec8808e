/** What a sender does to right records, as rules of `catalogue.json`. They are applied in their order. */
import type { PatientRecord } from './patients.ts'

export type Rule =
  /** Codes become others; a code that is not named stays. */
  | { readonly op: 'map'; readonly field: string; readonly map: Readonly<Record<string, string>> }
  | {
      readonly op: 'scale'
      readonly fields: readonly string[]
      readonly by: number
      readonly add?: number
      readonly round?: number
    }
  /** One value, in all records or in a share of them. */
  | { readonly op: 'const'; readonly field: string; readonly value: unknown; readonly share?: number }
  | { readonly op: 'drop'; readonly fields: readonly string[] }
  | { readonly op: 'swap'; readonly fields: readonly [string, string] }
  /** Each field takes the value of the one before it, the first that of the last. */
  | { readonly op: 'shift'; readonly fields: readonly string[] }
  | { readonly op: 'copy'; readonly from: string; readonly to: string }
  /** Values of the record before. */
  | { readonly op: 'rowShift'; readonly fields: readonly string[] }
  | { readonly op: 'cap'; readonly fields: readonly string[]; readonly max: number }
  | { readonly op: 'roundTo'; readonly field: string; readonly step: number; readonly mode?: 'floor' }
  | { readonly op: 'not'; readonly field: string }
  /** Month before day. */
  | { readonly op: 'date'; readonly fields: readonly string[]; readonly style: 'MDY' }
  /** A decimal comma, or a point between thousands. */
  | { readonly op: 'text'; readonly fields: readonly string[]; readonly style: 'comma' | 'dot3' }
  /** Texts become numbers where they are some. */
  | { readonly op: 'number'; readonly field: string }
  | { readonly op: 'bool'; readonly fields: readonly string[]; readonly yes: unknown; readonly no: unknown }
  /** All records of a block take the values of its first; a name that ends in * is a prefix. */
  | { readonly op: 'template'; readonly fields: readonly string[]; readonly block: number }
  | { readonly op: 'duplicate'; readonly times: number; readonly sameIdx?: boolean }
  | { readonly op: 'rename'; readonly map: Readonly<Record<string, string>> }
  /** Rules in a share of the records. */
  | { readonly op: 'share'; readonly share: number; readonly rules: readonly Rule[] }

export function applyRules(
  rules: readonly Rule[],
  records: readonly PatientRecord[],
): readonly PatientRecord[] {
  let changed = records
  for (const rule of rules) changed = applyRule(rule, changed)
  return changed
}

function applyRule(rule: Rule, records: readonly PatientRecord[]): readonly PatientRecord[] {
  const each = (change: (record: PatientRecord, at: number) => PatientRecord): readonly PatientRecord[] =>
    records.map((record, at) => ({ ...record, ...change(record, at) }))
  const values = (change: (value: unknown) => unknown): readonly PatientRecord[] =>
    each((record) =>
      Object.fromEntries(
        fieldsOf(rule)
          .filter((field) => record[field] !== undefined)
          .map((field) => [field, change(record[field])]),
      ),
    )
  switch (rule.op) {
    case 'map':
      return values((value) => rule.map[String(value)] ?? value)
    case 'scale':
      return values((value) => rounded(Number(value) * rule.by + (rule.add ?? 0), rule.round ?? 0))
    case 'const':
      return each(({ idx }) =>
        isPicked(idx, rule.field, rule.share ?? 1) ? { [rule.field]: rule.value } : {},
      )
    case 'drop':
      return records.map((record) =>
        Object.fromEntries(Object.entries(record).filter(([name]) => !rule.fields.includes(name))),
      )
    case 'swap': {
      const [one, other] = rule.fields
      return each((record) => ({ [one]: record[other], [other]: record[one] }))
    }
    case 'shift':
      return each((record) =>
        Object.fromEntries(rule.fields.map((field, at) => [field, record[rule.fields.at(at - 1) ?? field]])),
      )
    case 'copy':
      return each((record) => ({ [rule.to]: record[rule.from] }))
    case 'rowShift':
      return each((_record, at) => partOf(records.at(at - 1) ?? {}, rule.fields))
    case 'cap':
      return values((value) => Math.min(rule.max, Number(value)))
    case 'roundTo':
      return values((value) => {
        const steps = Number(value) / rule.step
        return rule.step * (rule.mode === 'floor' ? Math.floor(steps) : Math.round(steps))
      })
    case 'not':
      return values((value) => value !== true)
    case 'date':
      return values((value) => String(value).replace(/^(\d+)-(\d+)/, '$2-$1'))
    case 'text':
      return values((value) => (rule.style === 'comma' ? withComma(value) : withThousands(value)))
    case 'number':
      return values((value) => (Number.isNaN(Number(value)) ? value : Number(value)))
    case 'bool':
      return values((value) => (value === true ? rule.yes : rule.no))
    case 'template':
      return each((record, at) => {
        const names = Object.keys(record).filter((name) => rule.fields.some((field) => isNamed(name, field)))
        return partOf(records[at - (at % rule.block)] ?? record, names)
      })
    case 'duplicate':
      return records.flatMap((record, at) =>
        Array.from({ length: rule.times }, (_, time) => ({
          ...record,
          idx: rule.sameIdx === true ? record['idx'] : at * rule.times + time + 1,
        })),
      )
    case 'rename':
      return records.map((record) =>
        Object.fromEntries(Object.entries(record).map(([name, value]) => [rule.map[name] ?? name, value])),
      )
    case 'share': {
      const changed = applyRules(rule.rules, records)
      return records.map((record, at) =>
        isPicked(record['idx'], 'share', rule.share) ? (changed[at] ?? record) : record,
      )
    }
  }
}

function fieldsOf(rule: Rule): readonly string[] {
  if ('fields' in rule) return rule.fields
  return 'field' in rule ? [rule.field] : []
}

/** Whether a name is the field, or begins with it where the field ends in *. */
export function isNamed(name: string, field: string): boolean {
  return field.endsWith('*') ? name.startsWith(field.slice(0, -1)) : name === field
}

function partOf(record: PatientRecord, fields: readonly string[]): PatientRecord {
  return Object.fromEntries(fields.map((field) => [field, record[field]]))
}

/** The same records each time, and others for each field. */
function isPicked(idx: unknown, salt: string, share: number): boolean {
  let hash = 2_166_136_261
  for (const letter of `${String(idx)}/${salt}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 2_246_822_507)
  hash ^= hash >>> 13
  return (hash >>> 0) / 2 ** 32 < share
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
const withComma = (value: unknown): string => String(value).replace('.', ',')
const withThousands = (value: unknown): string =>
  String(Math.round(Number(value))).replace(/\B(?=(\d{3})+$)/g, '.')
