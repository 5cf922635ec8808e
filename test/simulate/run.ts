/**
 * `npm run simulate -- [NAME…]`: every simulation of this folder in full, or those named, one after the other. Each file exports
 * `simulate`, and gives the tables of the documentation. `--share 0.25` takes a part of the runs, where the simulation has that.
 */
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type SimulateOptions, type Table, markdown } from './table.ts'

const { values, positionals } = parseArgs({
  options: { reduced: { type: 'boolean', default: false }, share: { type: 'string' } },
  allowPositionals: true,
})
const known = readdirSync(new URL('.', import.meta.url))
  .filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !['run.ts', 'table.ts'].includes(file),
  )
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
    const share = values.share === undefined ? undefined : Number(values.share)
    for (const table of await simulate({ reduced: values.reduced, share }))
      process.stdout.write(markdown(table))
    const { user, system } = process.cpuUsage(start)
    process.stderr.write(`${name}: ${((user + system) / 1e6).toFixed(0)} s of processor time\n`)
  }
}
