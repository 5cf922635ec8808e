/** A file that is still being written is not scored in part. */
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { BadFile } from '../../src/tables/bad-file.ts'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { deploymentOf, scoreFile } from './score-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'unchanged-'))
after(() => rmSync(folder, { recursive: true }))

test('a table that has grown since the run began is refused, and nothing appears', async () => {
  const input = join(folder, 'in.csv')
  writeFileSync(input, 'idx,age\n1,84\n')
  const catalog = testCatalog()
  // They are asked for when the table is open already.
  const growing = {
    ...catalog,
    get definitions() {
      appendFileSync(input, '2,85\n')
      return catalog.definitions
    },
  }
  const deployment = deploymentOf(catalog)
  const options = { input, from: 'csv', to: 'csv', today: 20260601, deployment, catalog: growing } as const
  await assert.rejects(
    scoreFile({ ...options, output: join(folder, 'out.csv') }),
    (error: Error) => error instanceof BadFile && error.message.includes('has changed'),
  )
  assert.deepEqual(readdirSync(folder), ['in.csv'])
  rmSync(input)
})

test('a file that has grown since the run began is refused, and nothing appears', async () => {
  const input = join(folder, 'in.ndjson')
  writeFileSync(input, asLines(cleanRecords(3)))
  await assert.rejects(
    scoreFile({
      input,
      output: join(folder, 'out.ndjson'),
      from: 'ndjson',
      to: 'ndjson',
      today: 20260601,
      catalog: testCatalog(),
      onProgress: () => appendFileSync(input, asLines(cleanRecords(3))),
    }),
    (error: Error) => error instanceof BadFile && error.message.includes('has changed'),
  )
  assert.deepEqual(readdirSync(folder), ['in.ndjson'])
})
