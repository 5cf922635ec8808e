/** A file that is still being written is not scored in part. */
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { BadFile } from '../../src/tables/bad-file.ts'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { scoreFile } from './score-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'unchanged-'))
after(() => rmSync(folder, { recursive: true }))

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
