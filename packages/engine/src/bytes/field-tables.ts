/** The fields as the byte reader knows them: the pattern of each key, and what its value must be. */
import { type Domain, type Range, UNITS, permits, stepsIn } from '../definition/domain.ts'
import type { ReceivedCodes } from '../plan/codes.ts'
import type { Conversion, FieldPlan, Plan } from '../plan/plan.ts'
import * as layout from './layout.ts'
import type { MemoryImage } from './memory-image.ts'

/** A reader's slot is the plan's plus one: slot 0 is the idx. */
export const readerSlot = (slot: number): number => slot + 1
export const planSlot = (slot: number): number => slot - 1

const MAX_CODE = 31
const MAX_TABLE = 65_536
const MAX_DECIMALS = 3
const MAX_WHOLE = 999_999_999

const encoder = new TextEncoder()

export function writeFields(image: MemoryImage, plan: Plan): { fieldsAt: number; keysAt: number } {
  const names = ['idx', ...plan.fields.map(({ name }) => name)]
  const keysAt = image.take(names.length * layout.KEY_SIZE)
  const fieldsAt = image.table(names, layout.FIELD_SIZE, (place, name, slot) => {
    writeKey(image, place, keysAt + slot * layout.KEY_SIZE, name)
    const field = plan.fields[planSlot(slot)]
    if (field === undefined) writeKind(image, place, layout.KIND_IDX)
    else {
      image.i16(place + layout.F_SCALE, field.scale)
      const domain = domainOf(plan, field, planSlot(slot))
      if (domain !== undefined && field.received !== undefined) writeReceived(image, place, field.received)
      else if (domain !== undefined) writeDomain(image, place, domain, field.conversion)
    }
  })
  return { fieldsAt, keysAt }
}

/** The values that the reader may accept for a field; undefined when the engine must look at every value. */
function domainOf(plan: Plan, field: FieldPlan, slot: number): Domain | undefined {
  // Only decimal numbers are converted by the reader. A converted one has no steps.
  if (field.conversion !== undefined && field.domain.kind !== 'decimal') return undefined
  const scale = plan.scales[field.scale]
  if (scale === undefined || scale.codingSlot < 0) return field.domain
  if (slot === scale.codingSlot) return undefined
  if (!scale.codedSlots.includes(slot)) return field.domain
  // Without a declared coding the default form holds; a form that shifts values is the engine's.
  const form = scale.defaultForm
  const coded = form?.shifts.length === 0 ? form.domains.get(slot) : undefined
  if (coded === undefined || field.domain.kind !== 'list') return undefined
  return { ...field.domain, values: field.domain.values.filter((value) => permits(coded, value)) }
}

/** Whether a name is short enough for the reader. */
function isComparable(name: string): boolean {
  return encoder.encode(name).length <= layout.LONGEST_NAME
}

function writeKey(image: MemoryImage, field: number, key: number, name: string): void {
  // Never guessed or found: no text matches a pattern of zeros.
  if (!isComparable(name)) {
    image.write(key + layout.K_MASK, new Uint8Array(layout.KEY_SIZE - layout.K_MASK).fill(0xff))
    return
  }
  const pattern = encoder.encode(`,"${name}":`)
  const length = pattern.length - layout.K_AROUND
  image.i32(field + layout.F_KEY_LENGTH, length)
  image.write(key, pattern)
  image.write(key + layout.K_MASK, new Uint8Array(pattern.length).fill(0xff))
  image.write(key + layout.K_NAME_MASK + layout.K_BEFORE, new Uint8Array(length + 1).fill(0xff))
}

function writeKind(image: MemoryImage, field: number, kind: number): void {
  // Stryker disable next-line ArithmeticOperator: the kind comes first, so its offset is 0.
  image.u8(field + layout.F_KIND, kind)
}

function writeDomain(
  image: MemoryImage,
  field: number,
  domain: Domain,
  { times, per }: Pick<Conversion, 'times' | 'per'> = { times: 1, per: 1 },
): void {
  if (domain.kind === 'list') writeList(image, field, domain.values)
  else if (domain.kind === 'code') writeCodes(image, field, domain.codes)
  else if (domain.kind === 'yesNo') writeKind(image, field, layout.KIND_YES_NO)
  else if (domain.kind === 'date') writeKind(image, field, layout.KIND_DATE)
  else if (domain.step !== undefined) {
    // A field with more values is the engine's; listing them would take longer than anything else of a start.
    if ((domain.to - domain.from) / domain.step < MAX_TABLE)
      writeTable(image, field, countedSteps(domain, domain.step))
  } else {
    image.f64(field + layout.F_FROM, domain.from)
    image.f64(field + layout.F_TO, domain.to)
    if (domain.kind === 'decimal') {
      writeKind(image, field, layout.KIND_DECIMAL)
      image.f64(field + layout.F_TIMES, times)
      image.f64(field + layout.F_PER, per)
    } else {
      writeKind(image, field, layout.KIND_INTEGER)
      image.i32(field + layout.F_LOW, Math.max(0, Math.ceil(domain.from)))
      image.i32(field + layout.F_HIGH, Math.min(MAX_WHOLE, Math.floor(domain.to)))
    }
  }
}

/** Where values lie in a table that starts with the lowest of them, `low` units, and ends `span` units later. */
type Counted = Readonly<{
  unit: number
  decimals: number
  places: readonly number[]
  low: number
  span: number
}>

/** The units are those in which every value is whole: 1 for whole numbers, 10 for halves and tenths, up to 1,000. */
export function counted(values: readonly number[]): Counted | undefined {
  for (let decimals = 0; decimals <= MAX_DECIMALS && values.length > 0; decimals++) {
    const unit = 10 ** decimals
    if (!values.every((value) => Math.round(value * unit) / unit === value)) continue
    const units = values.map((value) => Math.round(value * unit))
    const low = Math.min(...units)
    return { unit, decimals, places: units.map((each) => each - low), low, span: Math.max(...units) - low }
  }
  return undefined
}

/** The same for a range with steps. Its first two values decide about the unit of all, so only those are looked at one by one. */
export function countedSteps(range: Range, step: number): Counted | undefined {
  const { first, width, last } = stepsIn(range, step)
  const start = counted([first / UNITS, (first + width) / UNITS])
  if (start === undefined || last < first) return undefined
  const each = start.span
  const places = Array.from({ length: (last - first) / width + 1 }, (_, index) => index * each)
  return { ...start, places, span: places.length * each - each }
}

function writeList(image: MemoryImage, field: number, values: readonly number[]): void {
  writeTable(image, field, counted(values))
}

function writeTable(image: MemoryImage, field: number, list: Counted | undefined): void {
  if (list === undefined || list.span >= MAX_TABLE || Math.abs(list.low) > MAX_WHOLE) return
  const { unit, decimals, places, low, span } = list
  const table = image.take(span + 1)
  for (const place of places) image.u8(table + place, 1)
  writeKind(image, field, layout.KIND_LIST)
  image.u8(field + layout.F_DECIMALS, decimals)
  image.i32(field + layout.F_LOW, low)
  image.i32(field + layout.F_HIGH, span)
  image.i32(field + layout.F_TABLE, table)
  image.f64(field + layout.F_UNIT, unit)
}

/** Texts of a mapping that stand for a value. Numbers, true, false, and codes for no value are the engine's. */
function writeReceived(image: MemoryImage, field: number, { named, plain }: ReceivedCodes): void {
  const texts = [...plain, ...named].filter((entry): entry is [string, number] => {
    const [code, number] = entry
    return typeof code === 'string' && typeof number === 'number'
  })
  writeCodes(image, field, new Map(texts))
}

/** Codes that JSON writes as they are. The engine handles the others, which are rare. */
function writeCodes(image: MemoryImage, field: number, codes: ReadonlyMap<string, number>): void {
  const plain = [...codes].filter(([code]) => code.length <= MAX_CODE && /^[ !#-[\]-~]*$/.test(code))
  const table = image.table(plain, layout.CODE_SIZE, (place, [code, number]) => {
    const pattern = encoder.encode(`${code}"`)
    image.write(place, pattern)
    image.write(place + layout.C_MASK, new Uint8Array(pattern.length).fill(0xff))
    image.i32(place + layout.C_LENGTH, pattern.length)
    image.f64(place + layout.C_NUMBER, number)
  })
  writeKind(image, field, layout.KIND_CODE)
  image.i32(field + layout.F_TABLE, table)
  image.i32(field + layout.F_CODES, plain.length)
}

const SIZE_PER_KEY = 4

/** An empty table for the hash by which the reader finds a key that it did not expect. The reader enters the keys itself. */
export function takeKeyHash(image: MemoryImage, keys: number): { hashAt: number; hashMask: number } {
  const size = 2 ** Math.ceil(Math.log2(Math.max(64, keys * SIZE_PER_KEY)))
  const hashAt = image.take(size * 2)
  image.write(hashAt, new Uint8Array(size * 2).fill(0xff))
  return { hashAt, hashMask: size - 1 }
}
