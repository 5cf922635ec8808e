/**
 * Reads the bytes of one record into slots. Values that it does not recognise are noted for the engine; on any doubt it returns 0 and the
 * reference decides.
 */
import { FIELD_SIZE, F_NEXT, F_SCALE, KEY_SIZE, K_AROUND } from '../src/bytes/layout'
import {
  STATE_VALID,
  carriedAt,
  carriedListAt,
  fieldsAt,
  keysAt,
  maxKeys,
  seenAt,
  statesAt,
  statesEnd,
  valuesAt,
} from './memory'
import { NO_KEY, afterKey, isBetween, lengthOf, readKey } from './key'
import { clearUnrecognised, skipUnrecognisedValue, nameCount } from './unrecognised'
import { number } from './number'
import { NULL, skipSpace } from './scan'
import { clearIdx, idxLength, readValue } from './value'

const COMMA_QUOTE: u16 = 0x222c

/** The scales that the record carries fields of. */
export let carriedCount: i32 = 0
/** The key that the last record began with. */
let firstKey: i32 = 0

/** Reads a record, starting after its opening brace. Returns where it ends, or 0 if it is left to the reference. */
export function readRecord(at: i32, newlineIsSpace: bool): i32 {
  clear()
  const fields = fieldsAt
  const keys = keysAt
  const states = statesAt
  const seen = seenAt
  const values = valuesAt
  clearIdx()
  clearUnrecognised()
  let count = 0
  let slot = readKey(skipSpace(at, newlineIsSpace), firstKey, newlineIsSpace)
  if (slot == NO_KEY) return 0
  firstKey = slot
  at = afterKey
  while (true) {
    const field = fields + slot * FIELD_SIZE
    // A key that is written twice has no value that can be trusted.
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
        end = skipUnrecognisedValue(at, slot)
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
      // In compact JSON the next key is another one. Where there are spaces it may be the guessed one.
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
      at = afterKey
      if (slot == NO_KEY) break
      store<i32>(field + F_NEXT, slot)
    }
  }
  if (load<u8>(at) != 0x7d || idxLength == 0) return 0
  return count + nameCount > maxKeys ? 0 : at + 1
}

@inline
function carry(scale: i32): void {
  const carried = carriedAt + scale
  const fields = <i32>load<u8>(carried)
  if (fields > 1) return
  store<u8>(carried, <u8>(fields + 1))
  if (fields == 1) return
  store<u16>(carriedListAt + (carriedCount << 1), <u16>scale)
  carriedCount++
}

/** Clears the last record. Clearing the whole block is faster than clearing single slots. */
@inline
function clear(): void {
  let place = statesAt
  const end = statesEnd
  const nothing = i64x2.splat(0)
  while (place < end) {
    v128.store(place, nothing)
    v128.store(place, nothing, 16)
    place += 32
  }
  carriedCount = 0
}
