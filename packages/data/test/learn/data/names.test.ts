/** Files to learn from whose names look like patterns: each is read by its own name. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLabelled } from '../../../src/learn/data/read-labelled.ts'
import { writeParquet } from '../../../../../test/support/table-files.ts'
import { newFolder } from '../../../../../test/support/learning.ts'

type Write = (path: string, label: number) => void | Promise<void>
const csv: Write = (path, died) => writeFileSync(path, `died,note\n${died},"a ""b"""\n`)
const plain: Write = (path, died) => writeFileSync(path, `died\n${died}\n`)
const parquet: Write = (path, died) => writeParquet(path, { died: 'BIGINT' }, [{ died }])
const ndjson: Write = (path, died) => writeFileSync(path, `${JSON.stringify({ died })}\n`)

/** The name of a file · a file that it would match as a pattern. */
const NAMES = [
  ['d[1].csv', 'd1.csv', csv],
  ['d?.csv', 'dd.csv', plain],
  ['d*.parquet', 'day.parquet', parquet],
  ['d[1].ndjson', 'd1.ndjson', ndjson],
] as const
for (const [name, other, write] of NAMES) {
  test(`${name} beside ${other}: the rows are those of the file that was named`, async () => {
    const folder = newFolder()
    await write(join(folder, name), 1)
    await write(join(folder, other), 0)
    const labels: unknown[] = []
    const data = { outcome: { column: 'died', yes: ['1'], no: ['0'] } }
    const source = { path: join(folder, name), data, fields: [], domains: new Map() }
    await readLabelled(source, ({ text }) => void labels.push(text('died')))
    assert.deepEqual(labels, ['1'])
  })
}
