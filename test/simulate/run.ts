/**
 * `npm run simulate -- [NAME…]`: every simulation of this folder in full, or those named, one after the other. Each file exports
 * `simulate`, and gives the tables of the documentation. Where the simulation has that, `--share 0.25` takes a part of the runs,
 * `--table 2` makes only that one, and `--only NAME`, which may be repeated, makes rows of these names.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type SimulateOptions, type Table, markdown } from './table.ts'

const { values, positionals } = parseArgs({
  options: {
    reduced: { type: 'boolean', default: false },
    share: { type: 'string' },
    table: { type: 'string' },
    only: { type: 'string', multiple: true },
  },
  allowPositionals: true,
})
const known = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.ts') && isSimulation(file))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort()
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no simulation ${unknown.join(', ')}; there are ${known.join(', ')}.\n`)
  process.exitCode = 2
} else {
  for (const name of positionals.length > 0 ? positionals : known) {
    const { simulate } = (await import(new URL(`${name}.ts`, import.meta.url).href)) as {
      readonly simulate: (options: SimulateOptions) => Promise<Iterable<Table>> | Iterable<Table>
    }
    const start = process.cpuUsage()
    const numberOf = (text: string | undefined): number | undefined =>
      text === undefined ? undefined : Number(text)
    const { reduced, only } = values
    const share = numberOf(values.share)
    const table = numberOf(values.table)
    for (const made of await simulate({ reduced, share, table, only })) process.stdout.write(markdown(made))
    const { user, system } = process.cpuUsage(start)
    process.stderr.write(`${name}: ${((user + system) / 1e6).toFixed(0)} s of processor time\n`)
  }
}

/** Other files of the folder hold what simulations share. */
function isSimulation(file: string): boolean {
  return /^export (async )?function\*? simulate\b/m.test(readFileSync(new URL(file, import.meta.url), 'utf8'))
}
