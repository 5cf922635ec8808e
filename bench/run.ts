/**
 * `npm run bench`: everything in one run. On an idle machine, with three rounds or more, it writes bench/results.json, bench/results.md
 * and the figures in the documents. `--only part,part`, `--rounds N` and `--seconds S` make a run shorter, and `--output FILE` keeps
 * the results of any run as JSON; such runs are not recorded.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { RESULTS_FILE, writeDocuments } from './documents.ts'
import { describeCommit, describeMachine, judgeRun, readTicks, watchBefore } from './machine.ts'
import { PARTS } from './parts.ts'
import { loadPlan } from './payloads.ts'
import { FEWEST_ROUNDS, type Results, type Section, printResults, printSection } from './results.ts'

const EXIT_USAGE = 64
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    output: { type: 'string' },
  },
})
const wanted = values.only?.split(',') ?? Object.keys(PARTS)
const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  process.stderr.write(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}.\n`)
  process.exit(EXIT_USAGE)
}
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const isRecorded = values.only === undefined && values.output === undefined && rounds >= FEWEST_ROUNDS

const { commit, faults: faultsOfCommit } = describeCommit()
const faults = [...faultsOfCommit]
if (isRecorded) refuseFaults()
const before = await watchBefore()
faults.push(...before.faults)
process.stdout.write(`${before.notes.join('\n')}\n`)
if (isRecorded) refuseFaults()

const folder = mkdtempSync(join(tmpdir(), 'bench-bodies-'))
const startedAt = performance.now()
const ticks = readTicks()
const sections: Section[] = []
try {
  const bench = { plan: loadPlan(), folder, rounds, seconds }
  for (const name of wanted) {
    for (const section of (await PARTS[name]?.(bench)) ?? []) {
      sections.push(section)
      process.stdout.write(`${printSection(section)}\n`)
      faults.push(...(section.missing ?? []))
    }
    if (isRecorded && faults.length > 0) break
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const during = judgeRun(ticks, readTicks())
faults.push(...during.faults)
const results: Results = {
  run: {
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine: describeMachine(),
    rounds,
    seconds,
    minutes: Math.round((performance.now() - startedAt) / 60_000),
    load: [...before.notes, ...during.notes],
    faults,
  },
  sections,
}
process.stdout.write(`${during.notes.join('\n')}\n`)
const json = `${JSON.stringify(results, null, 1)}\n`
if (values.output !== undefined) writeFileSync(values.output, json)
if (isRecorded) {
  if (faults.length > 0) {
    const kept = join(tmpdir(), 'bench-results-not-recorded.json')
    writeFileSync(kept, json)
    process.stdout.write(`What was measured is in ${kept}.\n`)
  }
  refuseFaults()
  writeFileSync(RESULTS_FILE, json)
  await writeDocuments(results)
  process.stdout.write('Recorded in bench/results.json, bench/results.md and the documents.\n')
} else if (values.output === undefined)
  process.stdout.write(`${printResults({ ...results, sections: [] })}\nNot recorded.\n`)

/** A run that cannot be recorded ends as soon as that is known. */
function refuseFaults(): void {
  if (faults.length === 0) return
  process.stderr.write(`Not recorded: ${faults.join(' ')}\nUse --output FILE to measure all the same.\n`)
  process.exit(1)
}
