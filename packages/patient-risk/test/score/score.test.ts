/** `patient-risk score` where its input or output is a pipe. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { score } from '../../src/cli/score/score.ts'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { COMPILED, MAIN, run, runHere } from '../../../../test/support/run-command.ts'

let folder = ''
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'score-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const [record] = cleanRecords(1)
const REPEATED = [1, 2, 1, 3].map((idx) => ({ ...record, idx }))
const NAMES = Object.keys(REPEATED[0] ?? {})
const CSV = [NAMES, ...REPEATED.map((each) => Object.values(each))]
  .map((row) => `${row.join(',')}\n`)
  .join('')
const FILES = { ndjson: asLines(REPEATED), json: JSON.stringify(REPEATED), csv: CSV } as const

const ROWS: Readonly<Record<keyof typeof FILES, (text: string) => number>> = {
  ndjson: (text) => text.split('\n').slice(0, -1).length,
  json: (text) => (JSON.parse(text) as unknown[]).length,
  csv: (text) => text.split('\n').length - 2,
}

for (const form of ['ndjson', 'json', 'csv'] as const) {
  test(`a file with a repeated idx goes to the standard output once, and right: ${form}`, async () => {
    const input = join(folder, `in.${form}`)
    const errors = join(folder, 'problems.csv')
    writeFileSync(input, FILES[form])
    const { code, out, err } = await run(['score', input, '--to', form, '--errors', errors])
    assert.equal(code, 0)
    // A slow machine shows its progress first.
    assert.match(err, /^4 records, /m)
    assert.equal(ROWS[form](out), 4)
    assert.equal(out.match(/duplicate/g)?.length, 2)
    assert.equal(readFileSync(errors, 'utf8').match(/duplicate/g)?.length, 2)
    assert.deepEqual(readdirSync(folder).sort(), [`in.${form}`, 'problems.csv'])
  })
}

/** The second record writes its idx twice, 7 and 1: no other record may be answered under either. */
const CLAIMED = [1, 'twice', 7, 2].map((idx) =>
  idx === 'twice'
    ? JSON.stringify({ ...record, idx: 7 }).replace('}', ',"idx":1}')
    : JSON.stringify({ ...record, idx }),
)
const CLAIMED_FILES = { ndjson: `${CLAIMED.join('\n')}\n`, json: `[${CLAIMED.join(',')}]` } as const

for (const form of ['ndjson', 'json'] as const) {
  test(`a record that writes its idx twice blocks both numbers in the whole file: ${form}`, async () => {
    const input = join(folder, `in.${form}`)
    writeFileSync(input, CLAIMED_FILES[form])
    const output = join(folder, 'out.ndjson')
    await runHere(['score', input, '--output', output, '--quiet'])
    assert.deepEqual(readFileSync(output, 'utf8').match(/\(duplicate\)|\(given twice\)|null\}/g), [
      '(duplicate)',
      '(given twice)',
      '(duplicate)',
      'null}',
    ])
  })
}

test('in a pipe, such a record blocks only the records after it', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  createWriteStream(pipe).end(CLAIMED_FILES.ndjson)
  const output = join(folder, 'out.ndjson')
  await runHere(['score', pipe, '--from', 'ndjson', '--output', output, '--quiet'])
  assert.deepEqual(readFileSync(output, 'utf8').match(/\(duplicate\)|\(given twice\)|null\}/g), [
    'null}',
    '(given twice)',
    '(duplicate)',
    'null}',
  ])
})

test('of a broken file nothing goes to the standard output', async () => {
  const input = join(folder, 'in.json')
  writeFileSync(input, `${JSON.stringify(cleanRecords(12_000)).slice(0, -1)},`)
  const { code, out } = await run([
    'score',
    input,
    '--threads',
    '1',
    '--errors',
    join(folder, 'problems.csv'),
  ])
  assert.deepEqual([code, out], [1, ''])
  assert.deepEqual(readdirSync(folder), ['in.json'])
})

for (const args of [[], ['--output', 'out.ndjson'], ['--output', 'out.ndjson', '--resume']]) {
  test(`a named pipe is read like the standard input: score ${args.join(' ')}`, async () => {
    const pipe = join(folder, 'pipe')
    const output = join(folder, 'out.ndjson')
    execFileSync('mkfifo', [pipe])
    createWriteStream(pipe).end(FILES.ndjson)
    const given = args.map((word) => (word === 'out.ndjson' ? output : word))
    const begin = args.length === 0 ? run : runHere
    const { code, out } = await begin(['score', pipe, '--from', 'ndjson', '--quiet', ...given])
    assert.equal(code, 0)
    const lines = (args.length === 0 ? out : readFileSync(output, 'utf8')).split('\n').slice(0, -1)
    assert.deepEqual(
      lines.map((line) => line.includes('"error_message":null')),
      [true, true, false, true],
    )
  })
}

test('no listener is left when a run has ended', async () => {
  const input = join(folder, 'in.ndjson')
  writeFileSync(input, FILES.ndjson)
  const listeners = (): readonly number[] => [
    ...(['SIGINT', 'SIGTERM', 'exit'] as const).map((name) => process.listenerCount(name)),
    process.stderr.listenerCount('error'),
  ]
  const args = [input, '--output', join(folder, 'out.ndjson'), '--quiet']
  assert.equal(await score.run(args), 0)
  const after = listeners()
  assert.equal(await score.run(args), 0)
  assert.deepEqual(listeners(), after)
})

test('score ends quietly when the reader of its output is gone', async () => {
  const input = join(folder, 'in.ndjson')
  writeFileSync(input, asLines(cleanRecords(10_000)))
  const child = spawn(process.execPath, [MAIN, 'score', input], {
    env: COMPILED,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.once('data', () => child.stdout.destroy())
  assert.deepEqual(await ended(child), { code: 141, said: '' })
})

async function ended(child: ChildProcess): Promise<{ readonly code: unknown; readonly said: string }> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const [code] = (await once(child, 'close')) as readonly unknown[]
  return { code, said }
}
