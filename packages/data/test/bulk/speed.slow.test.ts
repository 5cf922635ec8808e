/** What a file costs beside another one of as many rows: processor time of whole runs, in one test, so that the machine does not matter. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { cleanRecord, cleanRecords } from '../../../../test/support/records.ts'
import { writeParquet } from '../../../../test/support/table-files.ts'

const RECORDS = 1_000_000
const MOST_TIMES = 1.5
const ATTEMPTS = 4
const folder = mkdtempSync(join(tmpdir(), 'speed-'))
after(() => rmSync(folder, { recursive: true }))

/** Processor seconds of `score`, of the quickest of some runs. */
function secondsOf(input: string, output: string, runs = 3): number {
  const script = `
    import { run } from ${JSON.stringify(new URL('../../../patient-risk/src/cli/commands.ts', import.meta.url).href)}
    const code = await run(['score', ${JSON.stringify(input)}, '--output', ${JSON.stringify(output)}, '--quiet'])
    const { user, system } = process.cpuUsage()
    process.stdout.write(String((user + system) / 1e6))
    process.exitCode = code`
  // Threads would inherit the options of a script on the command line.
  const file = join(folder, 'run.mjs')
  writeFileSync(file, script)
  const seconds = Array.from({ length: runs }, () => {
    const ran = spawnSync(process.execPath, [file], { encoding: 'utf8', env: {} })
    assert.equal(ran.status, 0, ran.stderr)
    return Number(ran.stdout)
  })
  return Math.min(...seconds)
}

const SLOWER = [
  [
    'one idx in a thousand repeats',
    (place: number) => ({ idx: place % 1_000 === 999 ? place - 500 : place }),
  ],
  ['a text that no field has', (place: number) => ({ idx: place, ward: `Geriatría ${place % 50}` })],
] as const
test('NDJSON of a million rows takes at most one and a half times the time of a plain one', (context) => {
  const output = join(folder, 'out.ndjson')
  const write = (name: string, more: (place: number) => object): string => {
    const lines = Array.from({ length: RECORDS }, (_each, place) =>
      JSON.stringify({ ...cleanRecord(place), ...more(place) }),
    )
    const path = join(folder, name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  const plain = write('plain.ndjson', () => ({}))
  for (const [what, more] of SLOWER) {
    const other = write('other.ndjson', more)
    const times = lowestOf(() => secondsOf(other, output) / secondsOf(plain, output), MOST_TIMES)
    context.diagnostic(`${what}: ${times.toFixed(2)} times`)
    assert.ok(times <= MOST_TIMES, `${what}: ${times.toFixed(2)} times`)
  }
})

/** A busy machine slows one of two runs only. So a ratio above the limit is measured again, some times. */
function lowestOf(measure: () => number, limit: number): number {
  let lowest = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && lowest > limit; attempt++) lowest = Math.min(lowest, measure())
  return lowest
}

const FILES = 300
const ROWS = 100
const MOST_TIMES_OF_FILES = 5
test(`${FILES} Parquet files take at most ${MOST_TIMES_OF_FILES} times the time of one with their rows`, async (context) => {
  const types = {
    idx: 'BIGINT',
    age: 'BIGINT',
    sex: 'VARCHAR',
    inpatientAdmissions: 'BIGINT',
    emergencyAdmissions: 'BIGINT',
    stayDays: 'BIGINT',
  }
  const rows = cleanRecords(FILES * ROWS)
  const many = join(folder, 'many')
  mkdirSync(many)
  for (let file = 0; file < FILES; file++)
    await writeParquet(join(many, `${file}.parquet`), types, rows.slice(file * ROWS, (file + 1) * ROWS))
  const one = join(folder, 'one.parquet')
  await writeParquet(one, types, rows)
  const output = join(folder, 'out.csv')
  const times = lowestOf(() => secondsOf(many, output) / secondsOf(one, output), MOST_TIMES_OF_FILES)
  context.diagnostic(`${times.toFixed(2)} times`)
  assert.ok(times <= MOST_TIMES_OF_FILES, `${times.toFixed(2)} times`)
})
