/** One record from its bytes into slots. Whatever is not recognised exactly makes it return 0, and nothing is answered. */
import {
  CODE_SIZE,
  C_LENGTH,
  C_MASK,
  C_NUMBER,
  FIELD_SIZE,
  F_CODES,
  F_KEY_LENGTH,
  F_KIND,
  F_NEXT,
  F_SCALE,
  F_TABLE,
  HEADER,
  H_CARRIED,
  H_CARRIED_LIST,
  H_FIELDS,
  H_HASH,
  H_HASH_MASK,
  H_KEYS,
  H_MAX_KEYS,
  H_SEEN,
  H_STATES,
  H_STATES_END,
  H_TODAY,
  H_VALUES,
  KEY_SIZE,
  K_MASK,
  KIND_CODE,
  KIND_DATE,
  KIND_DECIMAL,
  KIND_IDX,
  KIND_INTEGER,
  KIND_LIST,
  KIND_YES_NO,
  STATE_VALID,
} from '../src/engine/bytes/layout'
import { NOT_A_DATE, dateAt } from './date'
import { number, readDecimal, readIdx, readListed, readWhole, setNumber } from './number'
import { skipSpace } from './scan'

/** The idx of the record: its number, and its digits in the input. */
export let idxValue: i64 = 0
export let idxPlace: i32 = 0
export let idxLength: i32 = 0

/** The scales that the record carries fields of. */
export let carriedCount: i32 = 0
/** The key that the last record began with. */
let firstKey: i32 = 0

/** Reads a record from behind its brace on; returns where it ends, or 0 when it is left to the reference. */
export function readRecord(at: i32, newlineIsSpace: bool): i32 {
  clear()
  const fields = load<i32>(HEADER + H_FIELDS)
  const keys = load<i32>(HEADER + H_KEYS)
  const states = load<i32>(HEADER + H_STATES)
  const seen = load<i32>(HEADER + H_SEEN)
  const values = load<i32>(HEADER + H_VALUES)
  idxLength = 0
  let count = 0
  let guess = firstKey
  let before = 0
  let goesOn = true
  if (load<u8>(at) != 0x22) at = skipSpace(at, newlineIsSpace)
  while (goesOn) {
    if (load<u8>(at) != 0x22) return 0
    at++
    let slot = guess
    let field = fields + slot * FIELD_SIZE
    let length = load<i32>(field + F_KEY_LENGTH)
    if (!isNameAt(at, keys + slot * KEY_SIZE, length)) {
      slot = findKey(at, fields, keys)
      if (slot < 0) return 0
      field = fields + slot * FIELD_SIZE
      length = load<i32>(field + F_KEY_LENGTH)
      if (before == 0) firstKey = slot
      else store<i32>(before + F_NEXT, slot)
    }
    at += length + 1
    if (load<u8>(at) != 0x3a) {
      at = skipSpace(at, newlineIsSpace)
      if (load<u8>(at) != 0x3a) return 0
    }
    at++
    // A key that is written twice has no value that could be trusted.
    if (load<u8>(seen + slot) != 0) return 0
    store<u8>(seen + slot, 1)
    count++
    if (<u32>load<u8>(at) <= 0x20) at = skipSpace(at, newlineIsSpace)
    const first = <u32>load<u8>(at)
    if (first == 0x6e) {
      if (load<u32>(at) != 0x6c6c756e || slot == 0) return 0
      at += 4
    } else {
      at = readValue(at, first, field)
      if (at == 0) return 0
      if (slot != 0) {
        store<f64>(values + (slot << 3), number)
        store<u8>(states + slot, STATE_VALID)
        const scale = <i32>load<i16>(field + F_SCALE)
        if (scale >= 0) carry(scale)
      }
    }
    let byte = <u32>load<u8>(at)
    if (byte <= 0x20) {
      at = skipSpace(at, newlineIsSpace)
      byte = <u32>load<u8>(at)
    }
    at++
    if (byte == 0x2c) {
      if (<u32>load<u8>(at) <= 0x20) at = skipSpace(at, newlineIsSpace)
      before = field
      guess = load<i32>(field + F_NEXT)
    } else {
      if (byte != 0x7d) return 0
      goesOn = false
    }
  }
  return idxLength == 0 || count > load<i32>(HEADER + H_MAX_KEYS) ? 0 : at
}

/** Whether the name with its closing quote stands here. Bytes behind the pattern are not looked at. */
@inline
function isNameAt(at: i32, key: i32, length: i32): bool {
  const low = v128.and(v128.xor(v128.load(at), v128.load(key)), v128.load(key, K_MASK))
  const high = v128.and(v128.xor(v128.load(at, 16), v128.load(key, 16)), v128.load(key, K_MASK + 16))
  if (v128.any_true(v128.or(low, high))) return false
  return length < 32 || hasRest(at, key)
}

function hasRest(at: i32, key: i32): bool {
  const low = v128.and(v128.xor(v128.load(at, 32), v128.load(key, 32)), v128.load(key, K_MASK + 32))
  const high = v128.and(v128.xor(v128.load(at, 48), v128.load(key, 48)), v128.load(key, K_MASK + 48))
  return !v128.any_true(v128.or(low, high))
}

/** The field whose name stands here with its closing quote, or −1. */
function findKey(at: i32, fields: i32, keys: i32): i32 {
  const length = lengthOfName(at)
  if (length == 0) return -1
  // A name shorter than eight bytes takes what stands before it in: its quote, which is always the same.
  const wide = length < 8 ? load<u64>(at) & ((<u64>1 << (<u64>length << 3)) - 1) : load<u64>(at)
  const last = length < 8 ? wide : load<u64>(at + length - 8)
  const mask = load<u32>(HEADER + H_HASH_MASK)
  const table = load<i32>(HEADER + H_HASH)
  let place = hashOf(wide, last, length) & mask
  let slot = <i32>load<i16>(table + (place << 1))
  while (slot >= 0) {
    const field = fields + slot * FIELD_SIZE
    if (load<i32>(field + F_KEY_LENGTH) == length && isNameAt(at, keys + slot * KEY_SIZE, length)) return slot
    place = (place + 1) & mask
    slot = <i32>load<i16>(table + (place << 1))
  }
  return -1
}

@inline
function hashOf(first: u64, last: u64, length: i32): u32 {
  const mixed = (first ^ (last << 5) ^ (last >> 59) ^ <u64>length) * 0x9e3779b97f4a7c15
  return <u32>(mixed >> 40)
}

/** How many bytes stand before the next quote; 0 when there is none within a key's room. */
@inline
function lengthOfName(at: i32): i32 {
  const quote = i8x16.splat(0x22)
  let found = i8x16.bitmask(i8x16.eq(v128.load(at), quote))
  if (found != 0) return ctz(found)
  found = i8x16.bitmask(i8x16.eq(v128.load(at, 16), quote))
  if (found != 0) return 16 + ctz(found)
  found = i8x16.bitmask(i8x16.eq(v128.load(at, 32), quote))
  return found == 0 ? 0 : 32 + ctz(found)
}

@inline
function readValue(at: i32, first: u32, field: i32): i32 {
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
  if (load<u32>(at) == 0x65757274) {
    setNumber(1)
    return at + 4
  }
  if (load<u32>(at) != 0x736c6166 || load<u8>(at + 4) != 0x65) return 0
  setNumber(0)
  return at + 5
}

function readDate(at: i32, first: u32): i32 {
  if (first != 0x22 || load<u8>(at + 11) != 0x22) return 0
  const date = dateAt(at + 1)
  if (date == NOT_A_DATE || date > load<i32>(HEADER + H_TODAY)) return 0
  setNumber(<f64>date)
  return at + 12
}

@inline
function carry(scale: i32): void {
  const carried = load<i32>(HEADER + H_CARRIED) + scale
  const fields = <i32>load<u8>(carried)
  if (fields > 1) return
  store<u8>(carried, <u8>(fields + 1))
  if (fields == 1) return
  store<u16>(load<i32>(HEADER + H_CARRIED_LIST) + (carriedCount << 1), <u16>scale)
  carriedCount++
}

/** Forgets the last record. All of its bytes at once are fewer steps than those that it touched, one by one. */
@inline
function clear(): void {
  let place = load<i32>(HEADER + H_STATES)
  const end = load<i32>(HEADER + H_STATES_END)
  const nothing = i64x2.splat(0)
  while (place < end) {
    v128.store(place, nothing)
    v128.store(place, nothing, 16)
    place += 32
  }
  carriedCount = 0
}
