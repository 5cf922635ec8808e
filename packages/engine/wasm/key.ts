/** Keys of a record: which field a name means. Names are compared whole, and found by a hash where the guess fails. */
import {
  FIELD_SIZE,
  F_KEY_LENGTH,
  KEY_SIZE,
  K_AROUND,
  K_BEFORE,
  K_MASK,
  K_NAME_MASK,
} from '../src/bytes/layout'
import { fieldsAt, hashAt, hashMask, keysAt } from './memory'
import { skipUnknownName } from './unrecognised'
import { skipSpace } from './scan'

export const NO_KEY: i32 = -1

/** Where the value of the key that was read last may begin. */
export let afterKey: i32 = 0

/**
 * The field of the first key from `at` on that names one; `afterKey` is then the place after its colon. If no key names a
 * field, NO_KEY, and `afterKey` is where the keys end, or 0 in doubt.
 */
@inline
export function readKey(at: i32, guess: i32, newlineIsSpace: bool): i32 {
  const fields = fieldsAt
  const keys = keysAt
  while (true) {
    afterKey = 0
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
      afterKey = at + 1
      return slot
    }
    at = skipUnknownName(at, newlineIsSpace)
    afterKey = at
    if (load<u8>(at) != 0x2c) return NO_KEY
    at = skipSpace(at + 1, newlineIsSpace)
  }
}

/** Whether the bytes are exactly what separates two values in compact JSON: comma, quote, name, quote, colon. */
@inline
export function isBetween(at: i32, key: i32, length: i32): bool {
  const low = v128.and(v128.xor(v128.load(at), v128.load(key)), v128.load(key, K_MASK))
  const high = v128.and(v128.xor(v128.load(at, 16), v128.load(key, 16)), v128.load(key, K_MASK + 16))
  if (v128.any_true(v128.or(low, high))) return false
  return length <= 32 - K_AROUND || agrees(at + 32, key + 32, key + K_MASK + 32)
}

/** Whether the name with its closing quote is here. Bytes after the pattern are not compared. */
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

/** The field whose name is here with its closing quote, or NO_KEY. */
function findKey(at: i32, fields: i32, keys: i32): i32 {
  const length = lengthOfName(at)
  if (length == 0) return NO_KEY
  let place = digestOf(at, length) & hashMask
  let slot = <i32>load<i16>(hashAt + (place << 1))
  while (slot >= 0) {
    if (lengthOf(fields, slot) == length && isNameAt(at, keys + slot * KEY_SIZE, length)) return slot
    place = (place + 1) & hashMask
    slot = <i32>load<i16>(hashAt + (place << 1))
  }
  return NO_KEY
}

/** Adds the name of a field, which is part of its pattern, to the hash table of names. */
export function enterKey(slot: i32): void {
  const name = keysAt + slot * KEY_SIZE + K_BEFORE
  let place = digestOf(name, lengthOf(fieldsAt, slot)) & hashMask
  while (load<i16>(hashAt + (place << 1)) >= 0) place = (place + 1) & hashMask
  store<i16>(hashAt + (place << 1), <i16>slot)
}

@inline
export function lengthOf(fields: i32, slot: i32): i32 {
  return load<i32>(fields + slot * FIELD_SIZE + F_KEY_LENGTH)
}

/** The hash of a name: of its first and last eight bytes, and its length. */
@inline
function digestOf(at: i32, length: i32): u32 {
  const first = length < 8 ? load<u64>(at) & ((<u64>1 << (<u64>length << 3)) - 1) : load<u64>(at)
  const last = length < 8 ? first : load<u64>(at + length - 8)
  const mixed = (first ^ (last << 5) ^ (last >> 59) ^ <u64>length) * 0x9e3779b97f4a7c15
  return <u32>(mixed >> 40)
}

/** The number of bytes before the next quote; 0 if there is no quote within the longest name. */
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
