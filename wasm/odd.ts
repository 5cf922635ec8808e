/** What is odd about a record: values that the reader does not recognise, and names that no field has. The engine looks at them. */
import { ODD_MOST, ODD_NAME, ODD_SIZE, O_END, O_SLOT, O_START } from '../src/engine/bytes/layout'
import { oddAt } from './memory'
import { endOfPlainText, endOfPlainValue, skipSpace } from './scan'

/** Longer names and values are left to the reference. */
const ODD_LONGEST = 64

/** How many values and names are odd, and how many of them are names. */
export let oddCount: i32 = 0
export let nameCount: i32 = 0

@inline
export function clearOdd(): void {
  oddCount = 0
  nameCount = 0
}

/** Notes a name that no field has, and skips its value and the space after it; 0 in doubt. */
export function skipOddName(at: i32, newlineIsSpace: bool): i32 {
  const end = endOfPlainText(at)
  if (end == 0 || !noteOdd(ODD_NAME, at, end - 1)) return 0
  nameCount++
  const colon = skipSpace(end, newlineIsSpace)
  if (load<u8>(colon) != 0x3a) return 0
  const afterValue = endOfPlainValue(skipSpace(colon + 1, newlineIsSpace))
  return afterValue == 0 ? 0 : skipSpace(afterValue, newlineIsSpace)
}

/** Notes a value that is not recognised. Returns where it ends, or 0 in doubt. */
export function skipOddValue(at: i32, slot: i32): i32 {
  const end = endOfPlainValue(at)
  return end == 0 || slot == 0 || !noteOdd(slot, at, end) ? 0 : end
}

function noteOdd(slot: i32, start: i32, end: i32): bool {
  if (oddCount == ODD_MOST || end - start > ODD_LONGEST) return false
  const place = oddAt + oddCount * ODD_SIZE
  store<i32>(place + O_SLOT, slot)
  store<i32>(place + O_START, start)
  store<i32>(place + O_END, end)
  oddCount++
  return true
}
