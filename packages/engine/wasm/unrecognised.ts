/** What a record has that the reader does not recognise: values, and names that no field has. The engine looks at them. */
import { MOST_UNRECOGNISED, UNKNOWN_NAME, UNRECOGNISED_SIZE, U_END, U_SLOT, U_START } from '../src/bytes/layout'
import { unrecognisedAt } from './memory'
import { endOfAnyText, endOfPlainText, endOfPlainValue, skipSpace } from './scan'

/** Longer names and values are left to the reference. */
const LONGEST_UNRECOGNISED = 64

/** How many values and names are not recognised, and how many of them are names. */
export let unrecognisedCount: i32 = 0
export let nameCount: i32 = 0

@inline
export function clearUnrecognised(): void {
  unrecognisedCount = 0
  nameCount = 0
}

/** Notes a name that no field has, and skips its value and the space after it; 0 in doubt. */
export function skipUnknownName(at: i32, newlineIsSpace: bool): i32 {
  const end = endOfPlainText(at)
  if (end == 0 || !noteUnrecognised(UNKNOWN_NAME, at, end - 1)) return 0
  nameCount++
  const colon = skipSpace(end, newlineIsSpace)
  if (load<u8>(colon) != 0x3a) return 0
  const value = skipSpace(colon + 1, newlineIsSpace)
  const afterValue = load<u8>(value) == 0x22 ? endOfAnyText(value + 1) : endOfPlainValue(value)
  return afterValue == 0 ? 0 : skipSpace(afterValue, newlineIsSpace)
}

/** Notes a value that is not recognised. Returns where it ends, or 0 in doubt. */
export function skipUnrecognisedValue(at: i32, slot: i32): i32 {
  const end = endOfPlainValue(at)
  return end == 0 || slot == 0 || !noteUnrecognised(slot, at, end) ? 0 : end
}

function noteUnrecognised(slot: i32, start: i32, end: i32): bool {
  if (unrecognisedCount == MOST_UNRECOGNISED || end - start > LONGEST_UNRECOGNISED) return false
  const place = unrecognisedAt + unrecognisedCount * UNRECOGNISED_SIZE
  store<i32>(place + U_SLOT, slot)
  store<i32>(place + U_START, start)
  store<i32>(place + U_END, end)
  unrecognisedCount++
  return true
}
