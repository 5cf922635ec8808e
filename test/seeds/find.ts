/** Looks for a seed that finds each planted defect, or those named: `node test/seeds/find.ts [NAME …]`. */
import { PLANTS } from './plants.ts'
import { runSeeds } from './pool.ts'

const STEP = 100
const MOST = 3_000

const named = process.argv.slice(2)
for (const [plant, { finds }] of Object.entries(PLANTS)) {
  if (named.length > 0 && !named.includes(plant)) continue
  let found: string | undefined
  for (let from = 1; from < MOST && found === undefined; from += STEP) {
    const { broken } = await runSeeds({ from, count: STEP, plant })
    const first = broken.find(({ faults }) => finds.test(faults.join('\n')))
    if (first !== undefined) found = `seed ${first.seed}: ${first.faults.join('; ').slice(0, 200)}`
  }
  process.stdout.write(`${plant}: ${found ?? `none of ${MOST} seeds finds it`}\n`)
}
