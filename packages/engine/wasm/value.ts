/** The value of a field in its plain form, as the field's kind has it. */
import {
  CODE_SIZE,
  C_LENGTH,
  C_MASK,
  C_NUMBER,
  F_CODES,
  F_KIND,
  F_TABLE,
  KIND_CODE,
  KIND_DATE,
  KIND_DECIMAL,
  KIND_IDX,
  KIND_INTEGER,
  KIND_LIST,
  KIND_YES_NO,
} from '../src/bytes/layout'
import { today } from './memory'
import { EARLIEST_DATE, dateAt } from './date'
import { number, readDecimal, readIdx, readListed, readWhole, setNumber } from './number'
import { FALS, TRUE } from './scan'

/** The idx of the record: its number, and its digits in the input. */
export let idxValue: i64 = 0
export let idxPlace: i32 = 0
export let idxLength: i32 = 0

@inline
export function clearIdx(): void {
  idxLength = 0
}

/** Reads the value of a field; returns where it ends, or 0 when it is not recognised. It is `number` then. */
@inline
export function readValue(at: i32, first: u32, field: i32): i32 {
  switch (<i32>load<u8>(field + F_KIND)) {
    case KIND_INTEGER:
      return readWhole(at, first, field)
    case KIND_LIST:
      return readListed(at, first, field)
    case KIND_DECIMAL:
      return readDecimal(at, first, field)
    case KIND_CODE:
      return readCode(at, first, field)
    case KIND_YES_NO:
      return readYesNo(at)
    case KIND_DATE:
      return readDate(at, first)
    case KIND_IDX:
      return takeIdx(at, first)
    default:
      return 0
  }
}

function takeIdx(at: i32, first: u32): i32 {
  const end = readIdx(at, first)
  if (end == 0) return 0
  idxPlace = at
  idxLength = end - at
  idxValue = <i64>number
  return end
}

function readCode(at: i32, first: u32, field: i32): i32 {
  if (first != 0x22) return 0
  const low = v128.load(at, 1)
  const high = v128.load(at, 17)
  let code = load<i32>(field + F_TABLE)
  const end = code + load<i32>(field + F_CODES) * CODE_SIZE
  while (code < end) {
    const lowDiffers = v128.and(v128.xor(low, v128.load(code)), v128.load(code, C_MASK))
    const highDiffers = v128.and(v128.xor(high, v128.load(code, 16)), v128.load(code, C_MASK + 16))
    if (!v128.any_true(v128.or(lowDiffers, highDiffers))) {
      setNumber(load<f64>(code + C_NUMBER))
      return at + 1 + load<i32>(code + C_LENGTH)
    }
    code += CODE_SIZE
  }
  return 0
}

function readYesNo(at: i32): i32 {
  if (load<u32>(at) == TRUE) {
    setNumber(1)
    return at + 4
  }
  if (load<u32>(at) != FALS || load<u8>(at + 4) != 0x65) return 0
  setNumber(0)
  return at + 5
}

function readDate(at: i32, first: u32): i32 {
  if (first != 0x22 || load<u8>(at + 11) != 0x22) return 0
  const date = dateAt(at + 1)
  if (date < EARLIEST_DATE || date > today) return 0
  setNumber(<f64>date)
  return at + 12
}
