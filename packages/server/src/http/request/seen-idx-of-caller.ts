/** The idx that a caller has sent in one stream or job, to find those that come again. */
import { randomInt } from 'node:crypto'
import { SeenIdx } from 'patient-risk-engine'

/** Pages of 64 numbers: 16 MB at most. */
const SEEN_PAGES = 1 << 19

/** Callers choose the idx, so they must not know how the numbers are spread over the pages. */
export function seenIdxOfCaller(): SeenIdx {
  return new SeenIdx(SEEN_PAGES, { high: oddFactor(), low: oddFactor() })
}

function oddFactor(): number {
  return 2 * randomInt(2 ** 31) + 1
}
