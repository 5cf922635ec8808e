/** One Bundle after the other through the changes, until a number has become another one. Ends with 3 and the faults then. */
import { KINDS } from './kinds.ts'
import { KNOWN, trialsOf } from './trials.ts'

// Those that leave something open find most defects.
const KINDS_LAST_FIRST = [...KINDS].reverse()

function firstFaults(): readonly string[] {
  for (const bundle of KNOWN.keys()) {
    for (const { faults } of trialsOf(bundle, KINDS_LAST_FIRST)) if (faults.length > 0) return faults
  }
  return []
}

const faults = firstFaults()
if (faults.length > 0) {
  process.stdout.write(`${faults.slice(0, 5).join('\n')}\n`)
  process.exitCode = 3
}
