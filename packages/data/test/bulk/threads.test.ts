/** Threads take over after the first pieces, and the results are the same. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { scoreFile } from './score-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'threads-'))
after(() => rmSync(folder, { recursive: true }))

// A file is read a mebibyte at a time, and the first eight pieces are scored without threads.
test('many pieces without problems give the same bytes as one piece', async () => {
  const input = join(folder, 'in.ndjson')
  writeFileSync(input, asLines(cleanRecords(140_000)))
  const score = async (chunkBytes: number): Promise<Buffer> => {
    const output = join(folder, `out-${chunkBytes}.ndjson`)
    const run = {
      input,
      output,
      from: 'ndjson',
      to: 'ndjson',
      today: 20260601,
      threads: 1,
      chunkBytes,
    } as const
    await scoreFile({ ...run, errors: join(folder, 'errors.ndjson'), catalog: testCatalog() })
    return readFileSync(output)
  }
  assert.ok((await score(64_000)).equals(await score(64_000_000)))
})
