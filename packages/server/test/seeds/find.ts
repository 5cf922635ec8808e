/**
 * Looks for a seed that finds each planted defect, or those named: `node packages/server/test/seeds/find.ts [NAME …]`, and for
 * the runs on PostgreSQL `node packages/server/test/seeds/find.ts postgres [NAME …]`.
 */
import { startPostgres } from '../../../../test/support/postgres-server.ts'
import { PLANTS } from './plants.ts'
import { runSeeds } from './pool.ts'
import { POSTGRES_PLANTS } from './postgres/plants.ts'

const [first, ...others] = process.argv.slice(2)
const server = first === 'postgres' ? await startPostgres() : undefined
const named = server === undefined && first !== undefined ? [first, ...others] : others
const { step, most } = server === undefined ? { step: 100, most: 3_000 } : { step: 20, most: 1_000 }
const newDatabase = server && (() => server.newDatabase())

for (const [plant, { finds }] of Object.entries(server === undefined ? PLANTS : POSTGRES_PLANTS)) {
  if (named.length > 0 && !named.includes(plant)) continue
  let found: string | undefined
  for (let from = 1; from < most && found === undefined; from += step) {
    const { broken } = await runSeeds({ from, count: step, plant, newDatabase })
    const hit = broken.find(({ faults }) => finds.test(faults.join('\n')))
    if (hit !== undefined) found = `seed ${hit.seed}: ${hit.faults.join('; ').slice(0, 200)}`
  }
  process.stdout.write(`${plant}: ${found ?? `none of ${most} seeds finds it`}\n`)
}
await server?.remove()
