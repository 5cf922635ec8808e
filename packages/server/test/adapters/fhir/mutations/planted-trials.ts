/** One Bundle after the other through every change, until a number has become another one. Ends with 3 and the faults then. */
import { KNOWN, sweep } from './trials.ts'

for (const bundle of KNOWN.keys()) {
  const { faults } = sweep([bundle])
  if (faults.length === 0) continue
  process.stdout.write(`${faults.slice(0, 5).join('\n')}\n`)
  process.exitCode = 3
  break
}
