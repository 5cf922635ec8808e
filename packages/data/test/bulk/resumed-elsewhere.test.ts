/** A run that is resumed under other circumstances: its own day counts, and another run does not continue it. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openCheckpoint } from '../../src/bulk/checkpoint.ts'
import type { ScoreRun } from '../../src/bulk/run.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { PLAIN_COLUMNS, deploymentOf } from './score-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-resumed-'))
after(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'a.csv')
const other = join(folder, 'b.csv')
writeFileSync(path, 'idx\n1\n')
writeFileSync(other, 'idx\n1\n')
const catalog = testCatalog()
const FIRST_DAY = 20_260_601

const RUN: ScoreRun = {
  catalog,
  deployment: deploymentOf(catalog),
  today: FIRST_DAY,
  inputs: [{ path, format: 'csv' }],
  output: join(folder, 'out.csv'),
  to: 'csv',
  compression: undefined,
  errors: undefined,
  errorsTo: undefined,
  columnOptions: PLAIN_COLUMNS,
  parts: [],
  threads: 1,
  isResumed: false,
  onProgress: () => undefined,
}

/** Opens the checkpoint of a run that is resumed, after another one has left it. */
async function resume(more: Partial<ScoreRun>): ReturnType<typeof openCheckpoint<string>> {
  const first = await openCheckpoint<string>(RUN)
  await first.write('half')
  return openCheckpoint<string>({ ...RUN, isResumed: true, ...more })
}

for (const [what, more] of [
  ['the same day', {}],
  ['another day', { today: FIRST_DAY + 1 }],
  ['other threads', { threads: 2 }],
] as const) {
  test(`${what}: the run goes on by the day on which it began`, async () => {
    const { from, run } = await resume(more)
    assert.equal(from, 'half')
    assert.equal(run.today, FIRST_DAY)
  })
}

/** What decides what is written. */
const OTHERS: readonly (readonly [string, Partial<ScoreRun>])[] = [
  ['another input', { inputs: [{ path: other, format: 'csv' }] }],
  ['a second input', { inputs: [...RUN.inputs, { path: other, format: 'csv' }] }],
  ['another format of the input', { inputs: [{ path, format: 'json' }] }],
  ['another format', { to: 'tsv' }],
  ['compression', { compression: 'gzip' }],
  ['a file of errors', { errors: join(folder, 'errors.csv') }],
  ['another format of errors', { errorsTo: 'csv' }],
  ['smaller chunks', { chunkBytes: 1_000 }],
  ['further parts', { parts: ['notices'] }],
  ['a second part', { parts: ['notices', 'range'] }],
  ['the source', { source: { model: 'a', deployment_digest: 'b' } }],
  ['another name of a column', { columnOptions: { ...PLAIN_COLUMNS, map: new Map([['a', 'b']]) } }],
  ['a column that is kept', { columnOptions: { ...PLAIN_COLUMNS, keep: ['ward'] } }],
  ['another word for missing', { columnOptions: { ...PLAIN_COLUMNS, missing: ['NA'] } }],
  ['a decimal comma', { columnOptions: { ...PLAIN_COLUMNS, decimal: 'comma' } }],
  ['another deployment', { deployment: deploymentOf(catalog, { name: 'other' }) }],
  ['another kind of answer', { deployment: deploymentOf(catalog, { output: 'yes-no' }) }],
  ['another model', { deployment: deploymentOf(catalog, { model: 'lace' }) }],
]
for (const [what, more] of OTHERS) {
  test(`${what}: the run does not go on`, async () => {
    await assert.rejects(
      resume(more),
      /had other inputs, another model or other options; start without --resume/,
    )
  })
}

test('a run that is not resumed begins again, by its own day', async () => {
  const again = await resume({ isResumed: false, today: FIRST_DAY + 1 })
  assert.deepEqual([again.from, again.run.today, again.exists()], [undefined, FIRST_DAY + 1, false])
})
