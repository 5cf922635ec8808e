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
  H_LEFT,
  H_MAX_KEYS,
  H_SEEN,
  H_STATES,
  H_STATES_END,
  H_TODAY,
  H_VALUES,
  KEY_SIZE,
  K_AROUND,
  K_BEFORE,
  K_MASK,
  K_NAME_MASK,
  KIND_CODE,
  KIND_DATE,
  KIND_DECIMAL,
  KIND_IDX,
  KIND_INTEGER,
  KIND_LIST,
  KIND_YES_NO,
  LEFT_LONGEST,
  LEFT_MOST,
  LEFT_NAME,
  LEFT_SIZE,
  L_END,
  L_SLOT,
  L_START,
  STATE_VALID,
} from '../src/engine/bytes/layout'
import { NOT_A_DATE, dateAt } from './date'
import { number, readDecimal, readIdx, readListed, readWhole, setNumber } from './number'
import { FALS, NULL, TRUE, endOfPlainText, endOfPlainValue, skipSpace } from './scan'

const NO_KEY: i32 = -1
const COMMA_QUOTE: u16 = 0x222c

/** The idx of the record: its number, and its digits in the input. */
export let idxValue: i64 = 0
export let idxPlace: i32 = 0
export let idxLength: i32 = 0

/** The scales that the record carries fields of. */
export let carriedCount: i32 = 0
/** How many values and names are left to the engine, and how many of them are names. */
export let leftCount: i32 = 0
let nameCount: i32 = 0
/** The key that the last record began with. */
let firstKey: i32 = 0
/** Where the value of the key that was read last may begin. */
let behindKey: i32 = 0

/** Reads a record from behind its brace on; returns where it ends, or 0 when it is left to the reference. */
export function readRecord(at: i32, newlineIsSpace: bool): i32 {
  clear()
  const fields = load<i32>(HEADER + H_FIELDS)
  const keys = load<i32>(HEADER + H_KEYS)
  const states = load<i32>(HEADER + H_STATES)
  const seen = load<i32>(HEADER + H_SEEN)
  const values = load<i32>(HEADER + H_VALUES)
  idxLength = 0
  leftCount = 0
  nameCount = 0
  let count = 0
  let slot = readKey(skipSpace(at, newlineIsSpace), firstKey, newlineIsSpace)
  if (slot == NO_KEY) return 0
  firstKey = slot
  at = behindKey
  while (true) {
    const field = fields + slot * FIELD_SIZE
    // A key that is written twice has no value that could be trusted.
    if (load<u8>(seen + slot) != 0) return 0
    store<u8>(seen + slot, 1)
    count++
    if (<u32>load<u8>(at) <= 0x20) at = skipSpace(at, newlineIsSpace)
    const first = <u32>load<u8>(at)
    if (first == 0x6e) {
      if (load<u32>(at) != NULL || slot == 0) return 0
      at += 4
    } else {
      let end = readValue(at, first, field)
      if (end == 0) {
        end = leaveValue(at, slot)
        if (end == 0) return 0
      } else if (slot != 0) {
        store<f64>(values + (slot << 3), number)
        store<u8>(states + slot, STATE_VALID)
        const scale = <i32>load<i16>(field + F_SCALE)
        if (scale >= 0) carry(scale)
      }
      at = end
    }
    // Most texts are compact, and most records have the keys of the one before in the same order.
    const guess = load<i32>(field + F_NEXT)
    const length = lengthOf(fields, guess)
    if (isBetween(at, keys + guess * KEY_SIZE, length)) {
      slot = guess
      at += length + K_AROUND
    } else {
      // In a compact text it is another key then; where spaces stand it may be the same.
      let expected = NO_KEY
      if (load<u16>(at) == COMMA_QUOTE) {
        at++
      } else {
        at = skipSpace(at, newlineIsSpace)
        if (load<u8>(at) != 0x2c) break
        at = skipSpace(at + 1, newlineIsSpace)
        expected = guess
      }
      slot = readKey(at, expected, newlineIsSpace)
      at = behindKey
      if (slot == NO_KEY) break
      store<i32>(field + F_NEXT, slot)
    }
  }
  if (load<u8>(at) != 0x7d || idxLength == 0) return 0
  return count + nameCount > load<i32>(HEADER + H_MAX_KEYS) ? 0 : at + 1
}

/**
 * The field of the first key from here on that a field has; `behindKey` is then behind its colon. Otherwise NO_KEY, and
 * `behindKey` is where the keys end, or 0 in doubt.
 */
@inline
function readKey(at: i32, guess: i32, newlineIsSpace: bool): i32 {
  const fields = load<i32>(HEADER + H_FIELDS)
  const keys = load<i32>(HEADER + H_KEYS)
  while (true) {
    behindKey = 0
    if (load<u8>(at) != 0x22) return NO_KEY
    at++
    let slot = guess
    if (slot == NO_KEY || !isNameAt(at, keys + slot * KEY_SIZE, lengthOf(fields, slot))) {
      slot = findKey(at, fields, keys)
    }
    if (slot != NO_KEY) {
      at += lengthOf(fields, slot) + 1
      if (load<u8>(at) != 0x3a) {
        at = skipSpace(at, newlineIsSpace)
        if (load<u8>(at) != 0x3a) return NO_KEY
      }
      behindKey = at + 1
      return slot
    }
    at = leaveName(at, newlineIsSpace)
    behindKey = at
    if (load<u8>(at) != 0x2c) return NO_KEY
    at = skipSpace(at + 1, newlineIsSpace)
  }
}

/** Leaves a name that no field has to the engine, and passes over its value and the space behind it; 0 in doubt. */
function leaveName(at: i32, newlineIsSpace: bool): i32 {
  const end = endOfPlainText(at)
  if (end == 0 || !leave(LEFT_NAME, at, end - 1)) return 0
  nameCount++
  const colon = skipSpace(end, newlineIsSpace)
  if (load<u8>(colon) != 0x3a) return 0
  const behind = endOfPlainValue(skipSpace(colon + 1, newlineIsSpace))
  return behind == 0 ? 0 : skipSpace(behind, newlineIsSpace)
}

/** Leaves a value to the engine, which knows what is wrong with it. Returns where it ends, or 0 in doubt. */
function leaveValue(at: i32, slot: i32): i32 {
  const end = endOfPlainValue(at)
  return end == 0 || slot == 0 || !leave(slot, at, end) ? 0 : end
}

function leave(slot: i32, start: i32, end: i32): bool {
  if (leftCount == LEFT_MOST || end - start > LEFT_LONGEST) return false
  const place = load<i32>(HEADER + H_LEFT) + leftCount * LEFT_SIZE
  store<i32>(place + L_SLOT, slot)
  store<i32>(place + L_START, start)
  store<i32>(place + L_END, end)
  leftCount++
  return true
}

/** Whether what stands here is just what stands between two values: comma, quote, name, quote, colon. */
@inline
function isBetween(at: i32, key: i32, length: i32): bool {
  const low = v128.and(v128.xor(v128.load(at), v128.load(key)), v128.load(key, K_MASK))
  const high = v128.and(v128.xor(v128.load(at, 16), v128.load(key, 16)), v128.load(key, K_MASK + 16))
  if (v128.any_true(v128.or(low, high))) return false
  return length <= 32 - K_AROUND || agrees(at + 32, key + 32, key + K_MASK + 32)
}

/** Whether the name with its closing quote stands here. Bytes behind the pattern are not looked at. */
function isNameAt(at: i32, key: i32, length: i32): bool {
  if (!agrees(at - K_BEFORE, key, key + K_NAME_MASK)) return false
  return length < 32 - K_BEFORE || agrees(at - K_BEFORE + 32, key + 32, key + K_NAME_MASK + 32)
}

/** Whether 32 bytes agree with a pattern wherever its mask says so. */
function agrees(at: i32, pattern: i32, mask: i32): bool {
  const low = v128.and(v128.xor(v128.load(at), v128.load(pattern)), v128.load(mask))
  const high = v128.and(v128.xor(v128.load(at, 16), v128.load(pattern, 16)), v128.load(mask, 16))
  return !v128.any_true(v128.or(low, high))
}

/** The field whose name stands here with its closing quote, or NO_KEY. */
function findKey(at: i32, fields: i32, keys: i32): i32 {
  const length = lengthOfName(at)
  if (length == 0) return NO_KEY
  // A name shorter than eight bytes takes what stands before it in: its quote, which is always the same.
  const wide = length < 8 ? load<u64>(at) & ((<u64>1 << (<u64>length << 3)) - 1) : load<u64>(at)
  const last = length < 8 ? wide : load<u64>(at + length - 8)
  const mask = load<u32>(HEADER + H_HASH_MASK)
  const table = load<i32>(HEADER + H_HASH)
  let place = hashOf(wide, last, length) & mask
  let slot = <i32>load<i16>(table + (place << 1))
  while (slot >= 0) {
    if (lengthOf(fields, slot) == length && isNameAt(at, keys + slot * KEY_SIZE, length)) return slot
    place = (place + 1) & mask
    slot = <i32>load<i16>(table + (place << 1))
  }
  return NO_KEY
}

@inline
function lengthOf(fields: i32, slot: i32): i32 {
  return load<i32>(fields + slot * FIELD_SIZE + F_KEY_LENGTH)
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
