/** Faults that are planted into sound records. Each must keep its record from a number, and says which problem must be listed. */
import type { Catalog } from '@patient-risk/catalog'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { Random } from '../../../../test/support/random.ts'
import { type Written, drop, itemsOf, plainScales, put, requiredInputs } from './good-record.ts'

export interface Planted {
  readonly field: string
  /** The reason of a ValueError, or undefined for a ValueMissing. */
  readonly reason?: string
  /** Whether the fault leaves the record without a usable idx. */
  readonly losesIdx?: true
  /** How often the record stands in its batch. */
  readonly copies?: 2
  /** What stands in the batch in place of the record. */
  readonly instead?: string
}

export interface Soil {
  readonly catalog: Catalog
  readonly model: ModelDefinition
  readonly record: Written
  readonly random: Random
}

export type Plant = (soil: Soil) => Planted | undefined

const OUT_OF_RANGE = 'out of range'
const COERCIBLE = [
  '"75"',
  '"0"',
  '""',
  '" 5 "',
  'true',
  'false',
  '[]',
  '[5]',
  '{}',
  '"NaN"',
  '"Infinity"',
  '"0x10"',
  '"1e1"',
]

/** A required input that is a field of its own, and its definition. */
function requiredField({ catalog, model, random }: Soil): [string, FieldDefinition] {
  const names = requiredInputs(model).filter((name) => catalog.fields.has(name))
  const name = random.pick(names)
  return [name, catalog.fields.get(name) as FieldDefinition]
}

function putText(record: Written, field: string, text: string): void {
  drop(record, field)
  record.push([JSON.stringify(field), text])
}

const TYPE_REASON = {
  integer: 'not an integer',
  decimal: 'not a number',
  code: 'not a permitted value',
  yesNo: 'not a permitted value',
} as const

export const absent: Plant = (soil) => {
  const [field] = requiredField(soil)
  if (soil.random.chance(0.5)) drop(soil.record, field)
  else put(soil.record, field, null)
  return { field }
}

export const anotherType: Plant = (soil) => {
  const [field, { type }] = requiredField(soil)
  const text = soil.random.pick(COERCIBLE)
  const isOwn = type === 'yesNo' && (text === 'true' || text === 'false')
  putText(soil.record, field, isOwn ? '1' : text)
  return { field, reason: TYPE_REASON[type] }
}

export const beyondRange: Plant = (soil) => {
  const [field, definition] = requiredField(soil)
  if (definition.type !== 'integer' && definition.type !== 'decimal') return undefined
  const { from, to } = { ...definition, ...soil.model.inputs[field] }
  const texts = [
    `${from - 1}`,
    `${to + 1}`,
    '1e400',
    '-1e400',
    '1e308',
    '-9007199254740993',
    '99999999999999999999',
  ]
  putText(soil.record, field, soil.random.pick(texts))
  return { field, reason: OUT_OF_RANGE }
}

export const fraction: Plant = (soil) => {
  const [field, definition] = requiredField(soil)
  if (definition.type !== 'integer') return undefined
  putText(soil.record, field, soil.random.pick(['0.5', '71.25', '1e-7', '-0.5', '18.000001']))
  return { field, reason: TYPE_REASON.integer }
}

export const otherCode: Plant = (soil) => {
  const [field, definition] = requiredField(soil)
  if (definition.type !== 'code') return undefined
  putText(
    soil.record,
    field,
    JSON.stringify(soil.random.pick(['f', ' F', 'female', 'FM', '\u0000', 'constructor', '__proto__'])),
  )
  return { field, reason: TYPE_REASON.code }
}

export const keyTwice: Plant = ({ record, random }) => {
  const [key, value] = random.pick(record)
  const field = JSON.parse(key) as string
  const at = 1 + random.below(field.length)
  const escaped = `\\u${field
    .charCodeAt(at - 1)
    .toString(16)
    .padStart(4, '0')}`
  const spelling = random.chance(0.5) ? key : `"${field.slice(0, at - 1)}${escaped}${field.slice(at)}"`
  record.splice(random.below(record.length + 1), 0, [spelling, random.chance(0.5) ? value : 'null'])
  return { field, reason: 'given twice', ...(field === 'idx' ? { losesIdx: true } : {}) }
}

export const strangerTwice: Plant = ({ record, random }) => {
  const field = random.pick(['ward', 'constructor', '__proto__', 'x y', 'ü'])
  for (const value of ['1', '1'])
    record.splice(random.below(record.length + 1), 0, [JSON.stringify(field), value])
  return { field, reason: 'given twice' }
}

export const wrongIdx: Plant = ({ record, random }) => {
  const text = random.pick([
    '"1"',
    '1.5',
    'true',
    '[]',
    '{}',
    '9007199254740992',
    '-9007199254740993',
    '1e400',
    '""',
  ])
  putText(record, 'idx', text)
  return { field: 'idx', reason: 'not an integer', losesIdx: true }
}

export const noIdx: Plant = ({ record, random }) => {
  if (random.chance(0.5)) drop(record, 'idx')
  else put(record, 'idx', null)
  return { field: 'idx', losesIdx: true }
}

export const sameIdx: Plant = () => ({ field: 'idx', reason: 'duplicate', copies: 2 })

export const noObject: Plant = ({ random }) => ({
  field: 'record',
  reason: 'not an object',
  losesIdx: true,
  instead: random.pick(['1', '"x"', 'null', 'true', '[]', '[{"idx":1}]', '-0', '"}{"']),
})

export const tooManyKeys: Plant = ({ record }) => {
  for (let i = 0; i < 1_024; i++) record.push([`"k${i}"`, '0'])
  return { field: 'record', reason: 'too many fields' }
}

/** A total of any scale that is not the sum of the items beside it: reachable, unreachable, or far away. */
export const otherSum: Plant = ({ catalog, record, random }) => {
  const scale = random.pick(plainScales(catalog))
  const items = Object.keys(scale.items).filter(() => random.chance(0.7))
  if (items.length === 0) return undefined
  let sum = 0
  for (const [item, { values }] of Object.entries(scale.items)) {
    drop(record, `${scale.id}_${item}`)
    if (!items.includes(item)) continue
    const value = random.pick(values)
    put(record, `${scale.id}_${item}`, value)
    sum += value
  }
  const off = random.pick([1, -1, 0.5, 5, 1_000, -3, 1e-6])
  put(record, `${scale.id}_total`, sum + off)
  return { field: `${scale.id}_total`, reason: sumReason(sum) }
}

export const otherSubtotal: Plant = ({ record, random }) => {
  drop(record, 'mna_total')
  put(record, 'mna_bmi', 2)
  put(record, 'mna_screening', random.pick([0, 3, 14]))
  return { field: 'mna_screening', reason: sumReason(2) }
}

export const otherGrade: Plant = ({ record, random }) => {
  put(record, 'cfs_score', 4)
  put(record, 'cfs_total', random.pick([1, 3, 5, 9]))
  return { field: 'cfs_total', reason: sumReason(4) }
}

export const otherRule: Plant = ({ record }) => {
  for (const item of ['acuteOnset', 'inattention', 'disorganizedThinking', 'alteredConsciousness']) {
    put(record, `cam_${item}`, item === 'acuteOnset' ? 0 : 1)
  }
  put(record, 'cam_total', 1)
  return { field: 'cam_total', reason: sumReason(0) }
}

/** Values of one way of writing a scale, declared as another. */
export const otherCoding: Plant = ({ record }) => {
  put(record, 'cirs_coding', '1-5')
  put(record, 'cirs_cardiac', 0)
  return { field: 'cirs_cardiac', reason: OUT_OF_RANGE }
}

export const bothAlternatives: Plant = ({ record, random }) => {
  put(record, 'mnaSf_bmi', random.below(4))
  put(record, 'mnaSf_calfCircumference', random.pick([0, 3]))
  return { field: 'mnaSf_calfCircumference', reason: 'given twice' }
}

/** A required total that nobody gives, with one item short or wrong. */
export const incompleteTotal: Plant = ({ catalog, model, record, random }) => {
  const totals = requiredInputs(model).filter((name) => name.endsWith('_total'))
  if (totals.length === 0) return undefined
  const field = random.pick(totals)
  const scale = catalog.scales.get(field.split('_')[0] ?? '')
  if (scale === undefined) return undefined
  drop(record, field)
  const items = itemsOf(scale)
  for (const item of items) put(record, `${scale.id}_${item}`, scale.items[item]?.values[0])
  const short = `${scale.id}_${random.pick(items)}`
  if (random.chance(0.5)) drop(record, short)
  else put(record, short, random.pick([99, '0', 0.25, true]))
  return { field }
}

function sumReason(sum: number): string {
  return `the sum of the given item values does not coincide with the provided total, computed sum ${sum}`
}

export const PLANTS: Readonly<Record<string, Plant>> = {
  absent,
  anotherType,
  beyondRange,
  fraction,
  otherCode,
  keyTwice,
  strangerTwice,
  wrongIdx,
  noIdx,
  sameIdx,
  noObject,
  tooManyKeys,
  otherSum,
  otherSubtotal,
  otherGrade,
  otherRule,
  otherCoding,
  bothAlternatives,
  incompleteTotal,
}
