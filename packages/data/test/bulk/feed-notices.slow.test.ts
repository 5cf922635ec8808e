/** The doubts of tables, and of lines that threads score, are notices in every row that they are about. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoreTables } from '../../src/bulk/tables/score-tables.ts'
import { EXPECTED, RECORDS, RUN, at, doubtsIn, records, right, write } from './doubted-files.ts'
import { PLAIN_COLUMNS, scoreFile } from './score-file.ts'

for (const from of ['csv', 'parquet', 'xlsx'] as const) {
  test(`${from}: every M has the notice, and nothing of a right file has`, async () => {
    const output = at(`${from}.ndjson`)
    await scoreFile({ ...RUN, input: await write(from, records), from, output })
    assert.deepEqual(doubtsIn(output), EXPECTED)
    await scoreFile({ ...RUN, input: await write(from, right), from, output })
    assert.ok(doubtsIn(output).every((fields) => !fields.includes('sex')))
  })
}

test('chunks of threads, and records whose idx repeats, have it too', async () => {
  const repeated = records.map((record) => ({ ...record, idx: record.idx === 9 ? 8 : record.idx }))
  const input = await write('ndjson', repeated)
  const output = at('chunks.ndjson')
  await scoreFile({ ...RUN, input, from: 'ndjson', output, chunkBytes: 400, threads: 2 })
  assert.deepEqual(doubtsIn(output), EXPECTED)
})

test('of several files the one that has the codes is in doubt, also where Parquet files are read together', async () => {
  const rows = [right, records, right]
  for (const format of ['csv', 'parquet'] as const) {
    const inputs = await Promise.all(
      rows.map(async (each, place) => {
        const own = each.map((record) => ({ ...record, idx: place * RECORDS + record.idx }))
        return { path: await write(format, own, `${place}.${format}`), format }
      }),
    )
    const output = at(`several-${format}.ndjson`)
    await scoreTables({
      ...RUN,
      inputs,
      output,
      compression: undefined,
      errors: undefined,
      errorsTo: undefined,
      columnOptions: PLAIN_COLUMNS,
      threads: 1,
      isResumed: false,
      onProgress: () => undefined,
    })
    const none = right.map(() => [])
    const sexOnly = doubtsIn(output).map((fields) => fields.filter((field) => field === 'sex'))
    assert.deepEqual(sexOnly, [...none, ...EXPECTED, ...none], format)
  }
})
