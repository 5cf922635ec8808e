/**
 * `npm run bench [-- --only part,part --rounds N --seconds S]`: everything in one run; all parts, with three rounds or more, write
 * `bench/results.md`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CLIENT_WARM_SECONDS, SMALL_BATCH, WARM_SECONDS } from './measure.ts'
import { PARTS } from './parts.ts'
import { loadPlan } from './payloads.ts'

const RESULTS = fileURLToPath(new URL('results.md', import.meta.url))
/** Figures of fewer rounds are not recorded. */
const FEWEST_ROUNDS = 3
const { values } = parseArgs({
  options: { only: { type: 'string' }, rounds: { type: 'string' }, seconds: { type: 'string' } },
})
const wanted = values.only?.split(',') ?? Object.keys(PARTS)
const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  process.stderr.write(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}.\n`)
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'bench-bodies-'))
const bench = {
  plan: loadPlan(),
  folder,
  rounds: Number(values.rounds ?? 5),
  seconds: Number(values.seconds ?? 1),
}
const sections = [heading(bench)]
const ticksBefore = processorTicks()
process.stdout.write(`${sections[0]}\n`)
try {
  for (const name of wanted) {
    const section = await PARTS[name]?.(bench)
    sections.push(section ?? '')
    process.stdout.write(`${section}\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
sections.push(hostShare())
process.stdout.write(`${sections.at(-1)}\n`)
if (values.only === undefined && bench.rounds >= FEWEST_ROUNDS) writeFileSync(RESULTS, sections.join('\n'))

function heading({ rounds, seconds }: { rounds: number; seconds: number }): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown'
  const machine = `${cpus().length} processors (${model}, ${process.arch}), ${Math.round(totalmem() / 1e9)} GB`
  return `# Results of the benchmark

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}. ${machine}, ${process.platform}, Node ${process.version}.
${loadNote()}
Servers and the client are processes on the same machine, over loopback. The service runs with keys, limits and audit on.
Each figure is the median of ${rounds} rounds of ${seconds} s, the servers in turns, each after ${WARM_SECONDS} seconds of its first
payload and three rounds of each to warm up.
The client is a new process in each round; up to ${SMALL_BATCH} records a request, its first ${CLIENT_WARM_SECONDS} s, while its code is compiled, do not count.
Ratios are against the last server of each payload. The ratio by CPU compares the servers' own processor time. It is steadier
than the other on a busy machine, but not steady: both moved by a factor of two between runs there.
`
}

/** Other work on the machine distorts the figures, so the results mention it. */
function loadNote(): string {
  const before = loadavg()[0] ?? 0
  const isBusy = before > cpus().length / 2
  return `Load of the machine before the start: ${before.toFixed(1)} on ${cpus().length} processors${isBusy ? ', so it was BUSY with other work: run it again on an idle one before you trust a figure' : ''}.`
}

/** Processor time since the machine started, and how much of it the host of a virtual machine gave to others. */
function processorTicks(): { readonly all: number; readonly stolen: number } {
  if (process.platform !== 'linux') return { all: 0, stolen: 0 }
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const ticks = first.split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 }
}

/** A load of zero does not show that the host of a virtual machine is busy. */
function hostShare(): string {
  const { all, stolen } = processorTicks()
  const share = (100 * (stolen - ticksBefore.stolen)) / Math.max(1, all - ticksBefore.all)
  return `The host of the machine took ${share.toFixed(1)} % of its processor time away during the run.\n`
}
