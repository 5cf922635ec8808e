/** A run that was killed is resumed, and ends with the bytes of one that was not interrupted. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { deserialize, serialize } from 'node:v8'
import { gzipSync } from 'node:zlib'
import type { Format, WrittenFormat } from '../../src/tables/formats.ts'
import { BadFile } from '../../src/tables/bad-file.ts'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { until } from '../../../../test/support/until.ts'
import { type FileRun, scoreFile } from './score-file.ts'
import { readTableRows } from '../../../../test/support/table-files.ts'

const TODAY = 20260601
const folder = mkdtempSync(join(tmpdir(), 'resume-'))
/** For what a killed run leaves behind. */
const temporary = mkdtempSync(join(tmpdir(), 'resume-'))
after(() => {
  for (const each of [folder, temporary]) rmSync(each, { recursive: true })
})

/** Thirty chunks or more, so that a run can be killed well before its end. */
const RECORDS = 5_000
const CHUNK_BYTES = 20_000
const records = [...cleanRecords(RECORDS), { idx: -1, age: 'x' }]
const lines = Buffer.from(asLines(records))
const cases: readonly (readonly [string, Format, string, WrittenFormat, Uint8Array])[] = [
  ['plain lines', 'ndjson', 'out.ndjson', 'ndjson', lines],
  ['to gzipped CSV', 'ndjson', 'out.csv.gz', 'csv', lines],
  [
    'to Parquet, with an idx that comes twice',
    'ndjson',
    'out.parquet',
    'parquet',
    Buffer.from(asLines([{ idx: RECORDS - 1 }, ...records])),
  ],
  ['gzipped lines', 'ndjson', 'out.ndjson', 'ndjson', gzipSync(lines)],
  ['a gzipped array', 'json', 'out.json', 'json', gzipSync(JSON.stringify(records, null, 2))],
]

for (const [what, from, name, to, content] of cases) {
  test(`a killed run resumes to the same bytes: ${what}`, async () => {
    const input = join(folder, 'in')
    const errors = join(folder, 'errors.ndjson')
    writeFileSync(input, content)
    const options = {
      input,
      from,
      to,
      errors,
      today: TODAY,
      chunkBytes: CHUNK_BYTES,
      checkpointMs: 0,
    } as const
    const output = join(folder, name)
    await scoreFile({ ...options, output, catalog: testCatalog() })
    const expected = [readFileSync(output), readFileSync(errors)]
    rmSync(output)
    rmSync(errors)

    await killedAfterCheckpoint({ ...options, output })
    assert.ok(existsSync(`${output}.unfinished`) && !existsSync(output), 'nothing has appeared yet')

    // A later day must not change what the first half was judged by.
    await scoreFile({ ...options, output, today: TODAY + 1, isResumed: true, catalog: testCatalog() })
    assert.ok(readFileSync(output).equals(expected[0] as Buffer))
    assert.ok(readFileSync(errors).equals(expected[1] as Buffer))
    assert.deepEqual(readdirSync(folder).sort(), ['errors.ndjson', 'in', name].sort())
    rmSync(output)
    rmSync(errors)
  })
}

test('a table that cannot be written leaves the rows to go on from', async () => {
  const input = join(folder, 'in')
  const output = join(folder, 'out.parquet')
  writeFileSync(input, lines)
  const options = {
    ...({ input, output, from: 'ndjson', to: 'parquet', today: TODAY, checkpointMs: 0 } as const),
    catalog: testCatalog(),
  }
  mkdirSync(`${output}.converted`)
  await assert.rejects(scoreFile(options), { name: 'WriteError' })
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('out')),
    ['checkpoint', 'converted', 'unfinished'].map((ending) => `out.parquet.${ending}`),
  )
  rmSync(`${output}.converted`, { recursive: true })
  const { tally } = await scoreFile({ ...options, isResumed: true })
  assert.equal(tally.records, records.length)
  assert.equal((await readTableRows(output, 'parquet')).length, records.length)
  rmSync(output)
})

/** What makes a checkpoint one that no run may continue from, and what is said then. */
const refusals: readonly (readonly [string, (checkpoint: Buffer) => Buffer | string, RegExp])[] = [
  ['of an older version', (all) => changed(all, (saved) => (saved.version = 2)), /older version/],
  ['of a version before that', () => 'patient-risk checkpoint 2\n{}\n', /older version/],
  ['that is another kind of file', () => 'something else\n{}\n', /damaged or incomplete/],
  ['that is cut off', (all) => all.subarray(0, -3), /damaged or incomplete/],
  ['that was cut off early', (all) => all.subarray(0, 40), /damaged or incomplete/],
  ['inside a chunk', (all) => changed(all, ({ state }) => (state.records = 7)), /is not found/],
  ['after the end', (all) => changed(all, ({ state }) => (state.records = 99_999)), /is not found/],
]

const refused = {
  input: join(folder, 'refused-in'),
  output: join(folder, 'refused-out'),
  from: 'ndjson',
  to: 'ndjson',
  today: TODAY,
  chunkBytes: CHUNK_BYTES,
  checkpointMs: 0,
} as const
/** What the killed run leaves: its rows so far and its checkpoint. */
const UNFINISHED = `${refused.output}.unfinished`
const CHECKPOINT = `${refused.output}.checkpoint`

interface Left {
  readonly unfinished: Buffer
  readonly checkpoint: Buffer
}

/** Made once, by the first test that needs it. */
let killedRun: Promise<Left> | undefined

async function killRun(): Promise<Left> {
  writeFileSync(refused.input, lines)
  await killedAfterCheckpoint(refused)
  return { unfinished: readFileSync(UNFINISHED), checkpoint: readFileSync(CHECKPOINT) }
}

/** Brings back what the killed run has left, with a changed checkpoint. The checkpoint holds the time of the input, which stays. */
async function leaveRun(change: (checkpoint: Buffer) => Buffer | string): Promise<void> {
  killedRun ??= killRun()
  const { unfinished, checkpoint } = await killedRun
  writeFileSync(UNFINISHED, unfinished)
  writeFileSync(CHECKPOINT, change(checkpoint))
}

const asItWas = (checkpoint: Buffer): Buffer => checkpoint

for (const [what, change, message] of refusals) {
  test(`a run does not continue from a checkpoint ${what}`, async () => {
    await leaveRun(change)
    await refuses(message)
  })
}

test('a run of another input does not continue an unfinished one', async () => {
  await leaveRun(asItWas)
  const input = join(folder, 'other-in')
  writeFileSync(input, asLines(cleanRecords(3)))
  await refuses(/another/, input)
})

test('the run that these tests change continues when nothing is changed', async () => {
  await leaveRun(asItWas)
  const { tally } = await scoreFile({ ...refused, isResumed: true, catalog: testCatalog() })
  assert.equal(tally.records, records.length)
  rmSync(refused.output)
})

async function refuses(message: RegExp, input: string = refused.input): Promise<void> {
  await assert.rejects(
    scoreFile({ ...refused, input, isResumed: true, catalog: testCatalog() }),
    (error: Error) => {
      assert.ok(error instanceof BadFile)
      assert.match(error.message, message)
      return true
    },
  )
  assert.ok(!existsSync(refused.output))
}

interface Saved {
  version: number
  readonly state: { records: number }
}

function changed(bytes: Buffer, change: (saved: Saved) => unknown): Buffer {
  const saved = deserialize(bytes) as Saved
  change(saved)
  return serialize(saved)
}

/** Begins a run in a process of its own, which ends in the middle. */
async function killedAfterCheckpoint(options: Partial<FileRun>): Promise<void> {
  const args = [join(import.meta.dirname, 'run-child.ts'), JSON.stringify(options)]
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, TMPDIR: temporary },
  })
  const exit = once(child, 'exit')
  try {
    // The child stands still once it is there, so that it does not matter when this is seen.
    await until(() => existsSync(`${options.output}.checkpoint`) || child.exitCode !== null)
    assert.equal(child.exitCode, null, 'the run ended before it could be killed')
  } finally {
    child.kill('SIGKILL')
  }
  const [, signal] = (await exit) as [number | null, string | null]
  assert.equal(signal, 'SIGKILL')
}
