/** What the reader leaves of a record to the engine: values that it does not recognise, and names that no field has. */
import {
  HEADER,
  H_LEFT,
  LEFT_LONGEST,
  LEFT_MOST,
  LEFT_NAME,
  LEFT_SIZE,
  L_END,
  L_SLOT,
  L_START,
} from '../src/engine/bytes/layout'
import { endOfPlainText, endOfPlainValue, skipSpace } from './scan'

/** How many values and names are left, and how many of them are names. */
export let leftCount: i32 = 0
export let nameCount: i32 = 0

@inline
export function forgetLeft(): void {
  leftCount = 0
  nameCount = 0
}

/** Leaves a name that no field has to the engine, and passes over its value and the space behind it; 0 in doubt. */
export function leaveName(at: i32, newlineIsSpace: bool): i32 {
  const end = endOfPlainText(at)
  if (end == 0 || !leave(LEFT_NAME, at, end - 1)) return 0
  nameCount++
  const colon = skipSpace(end, newlineIsSpace)
  if (load<u8>(colon) != 0x3a) return 0
  const behind = endOfPlainValue(skipSpace(colon + 1, newlineIsSpace))
  return behind == 0 ? 0 : skipSpace(behind, newlineIsSpace)
}

/** Leaves a value to the engine, which knows what is wrong with it. Returns where it ends, or 0 in doubt. */
export function leaveValue(at: i32, slot: i32): i32 {
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
