/** A run that was killed goes on where it was, and ends with the bytes of one that was not. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { BadFile } from '../../src/tables/bad-file.ts'
import { asLines, cleanRecords } from '../records.ts'
import { testCatalog } from '../serve.ts'
import { scoreFile } from './score-file.ts'

const TODAY = 20260601
const folder = mkdtempSync(join(tmpdir(), 'resume-'))
after(() => rmSync(folder, { recursive: true }))

const records = [...cleanRecords(20_000), { idx: -1, age: 'x' }]
const cases = [
  ['plain lines', 'out.ndjson', records],
  ['gzipped CSV', 'out.csv.gz', records],
  ['Parquet, with an idx that comes twice', 'out.parquet', [{ idx: 19_999 }, ...records]],
] as const

for (const [what, name, content] of cases) {
  test(`a killed run resumes to the same bytes: ${what}`, async () => {
    const input = join(folder, 'in.ndjson')
    const errors = join(folder, 'errors.ndjson')
    const to = name.startsWith('out.csv') ? 'csv' : name.endsWith('parquet') ? 'parquet' : 'ndjson'
    writeFileSync(input, asLines(content))
    const options = {
      input,
      from: 'ndjson',
      to,
      errors,
      today: TODAY,
      chunkBytes: 20_000,
      checkpointMs: 0,
    } as const
    const output = join(folder, name)
    await scoreFile({ ...options, output, catalog: testCatalog() })
    const expected = [readFileSync(output), readFileSync(errors)]
    rmSync(output)
    rmSync(errors)

    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'run-child.ts'), JSON.stringify({ ...options, output })],
      {
        stdio: 'inherit',
      },
    )
    await killAfterCheckpoint(child, `${output}.checkpoint`)
    assert.ok(existsSync(`${output}.unfinished`) && !existsSync(output), 'nothing has appeared yet')

    // A later day must not change what the first half was judged by.
    await scoreFile({ ...options, output, today: TODAY + 1, isResumed: true, catalog: testCatalog() })
    assert.ok(readFileSync(output).equals(expected[0] as Buffer))
    assert.ok(readFileSync(errors).equals(expected[1] as Buffer))
    assert.deepEqual(readdirSync(folder).sort(), ['errors.ndjson', 'in.ndjson', name].sort())
    rmSync(output)
    rmSync(errors)
  })
}

test('an unfinished run of another input is not gone on with', async () => {
  const input = join(folder, 'in.ndjson')
  const output = join(folder, 'other.ndjson')
  const options = {
    input,
    output,
    from: 'ndjson',
    to: 'ndjson',
    today: TODAY,
    chunkBytes: 20_000,
    checkpointMs: 0,
  } as const
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'run-child.ts'), JSON.stringify(options)],
    { stdio: 'inherit' },
  )
  await killAfterCheckpoint(child, `${output}.checkpoint`)
  writeFileSync(input, asLines(cleanRecords(3)))
  await assert.rejects(
    scoreFile({ ...options, isResumed: true, catalog: testCatalog() }),
    (error: Error) => error instanceof BadFile && error.message.includes('another'),
  )
})

async function killAfterCheckpoint(child: ChildProcess, checkpoint: string): Promise<void> {
  const exit = once(child, 'exit')
  try {
    // The child stands still once it is there, so that it does not matter when this is seen.
    while (!existsSync(checkpoint)) {
      assert.equal(child.exitCode, null, 'the run ended before it could be killed')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  } finally {
    child.kill('SIGKILL')
  }
  const [, signal] = (await exit) as [number | null, string | null]
  assert.equal(signal, 'SIGKILL')
}
