/**
 * `npm run bench:files`: what `score` costs for files that are harder than a plain one of as many rows, as a ratio of processor time.
 * A ratio far above the one that docs/speed.md states means that the time no longer grows with the rows alone.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanRecord, cleanRecords } from '../test/support/records.ts'
import { writeParquet } from '../test/support/table-files.ts'

const RECORDS = 1_000_000
const RUNS = 3
const FILES = 300
const ROWS_A_FILE = 100

const folder = mkdtempSync(join(tmpdir(), 'bench-files-'))
try {
  measureLines()
  measureCsv()
  await measureParquet()
} finally {
  rmSync(folder, { recursive: true })
}

function measureLines(): void {
  const output = join(folder, 'out.ndjson')
  const plain = writeLines('plain.ndjson', () => ({}))
  const repeats = writeLines('repeats.ndjson', (place) => ({
    idx: place % 1_000 === 999 ? place - 500 : place,
  }))
  const texts = writeLines('texts.ndjson', (place) => ({ idx: place, ward: `Geriatría ${place % 50}` }))
  say('NDJSON, one idx in a thousand repeats', repeats, plain, output)
  say('NDJSON, a text that no field has', texts, plain, output)
}

/** The cells of faulty rows are looked at once more, in case that they are written in another form; the file is not. */
function measureCsv(): void {
  const faulty = writeCsv('faulty.csv', (place) => (place % 70 === 0 ? 480 : 80))
  say(
    'CSV, one age in seventy refused',
    faulty,
    writeCsv('plain.csv', () => 80),
    join(folder, 'out.csv'),
  )
}

function writeCsv(name: string, ageOf: (place: number) => number): string {
  const records = Array.from({ length: RECORDS }, (_each, place) => cleanRecord(place))
  const names = Object.keys(records[0] ?? {})
  const lines = records.map((record, place) => Object.values({ ...record, age: ageOf(place) }).join(','))
  const path = join(folder, name)
  writeFileSync(path, `${[names.join(','), ...lines].join('\n')}\n`)
  return path
}

async function measureParquet(): Promise<void> {
  const types = {
    idx: 'BIGINT',
    age: 'BIGINT',
    sex: 'VARCHAR',
    inpatientAdmissions: 'BIGINT',
    emergencyAdmissions: 'BIGINT',
    stayDays: 'BIGINT',
  }
  const rows = cleanRecords(FILES * ROWS_A_FILE)
  const many = join(folder, 'many')
  mkdirSync(many)
  for (let file = 0; file < FILES; file++) {
    const own = rows.slice(file * ROWS_A_FILE, (file + 1) * ROWS_A_FILE)
    await writeParquet(join(many, `${file}.parquet`), types, own)
  }
  const one = join(folder, 'one.parquet')
  await writeParquet(one, types, rows)
  say(`${FILES} Parquet files beside one with their rows`, many, one, join(folder, 'out.csv'))
}

function writeLines(name: string, more: (place: number) => object): string {
  const lines = Array.from({ length: RECORDS }, (_each, place) =>
    JSON.stringify({ ...cleanRecord(place), ...more(place) }),
  )
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Alternating, so that a machine that slows down slows both. */
function say(what: string, input: string, plain: string, output: string): void {
  let own = Infinity
  let others = Infinity
  for (let run = 0; run < RUNS; run++) {
    own = Math.min(own, secondsOf(input, output))
    others = Math.min(others, secondsOf(plain, output))
  }
  process.stdout.write(`${what}: ${(own / others).toFixed(2)} times\n`)
}

/** Processor seconds of `score`. */
function secondsOf(input: string, output: string): number {
  const script = `
    import { run } from ${JSON.stringify(new URL('../packages/patient-risk/src/cli/commands.ts', import.meta.url).href)}
    const code = await run(['score', ${JSON.stringify(input)}, '--output', ${JSON.stringify(output)}, '--quiet'])
    const { user, system } = process.cpuUsage()
    process.stdout.write(String((user + system) / 1e6))
    process.exitCode = code`
  // Threads would inherit the options of a script on the command line.
  const file = join(folder, 'run.mjs')
  writeFileSync(file, script)
  const ran = spawnSync(process.execPath, [file], { encoding: 'utf8', env: {} })
  if (ran.status !== 0) throw new Error(ran.stderr)
  return Number(ran.stdout)
}
