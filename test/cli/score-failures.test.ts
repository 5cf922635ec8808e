/** A run of `score` that the system does not let read or write: it says which file and which way. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { asLines, cleanRecords } from '../records.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'failures-'))
after(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
writeFileSync(at('in.ndjson'), asLines(cleanRecords(3)))
mkdirSync(at('folder.ndjson'))
mkdirSync(at('taken.csv.unfinished'))
writeFileSync(at('taken.csv.unfinished/x'), '')

const FAILURES: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    'an output in a folder that is not there',
    ['in.ndjson', '-o', 'none/out.csv'],
    /none\/out\.csv: cannot be written \(ENOENT\)/,
  ],
  [
    'errors in a folder that is not there',
    ['in.ndjson', '-o', 'out.csv', '--errors', 'none/e.csv'],
    /none\/e\.csv: cannot be written \(ENOENT\)/,
  ],
  [
    'an input that is a folder',
    ['folder.ndjson', '-o', 'out.csv'],
    /folder\.ndjson: cannot be read \(EISDIR\)/,
  ],
]
for (const [what, words, message] of FAILURES) {
  test(`${what} is named, and nothing is left behind`, async () => {
    const there = readdirSync(folder)
    const named = words.map((word) => (/\.\w+$/.test(word) ? at(word) : word))
    const { code, err } = await run(['score', ...named])
    assert.equal(code, 1)
    assert.match(err, message)
    assert.deepEqual(readdirSync(folder), there)
  })
}
