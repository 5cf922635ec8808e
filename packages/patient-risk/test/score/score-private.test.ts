/** Results are patient data: everything that `score` writes is for its owner alone, whatever the umask allows. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { runHere } from '../../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'private-'))
const at = (name: string): string => join(folder, name)
const out = at('out')
const HEADER = 'idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const UMASK = 0o022
let before022: number
before(() => {
  before022 = process.umask(UMASK)
  writeFileSync(at('in.ndjson'), asLines(cleanRecords(3)))
  writeFileSync(at('in.csv'), `${HEADER}\n1,84,F,2,1,7\n`)
  writeFileSync(at('refused.csv'), 'idx,age\n1,"84\n')
})
beforeEach(() => {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { mode: 0o755 })
})
after(() => {
  process.umask(before022)
  rmSync(folder, { recursive: true })
})

/** What is scored, the options, the exit code, and what is there afterwards. */
const RUNS: readonly (readonly [string, readonly string[], number, readonly string[]])[] = [
  ...['in.ndjson', 'in.csv'].flatMap((input) =>
    ['r.ndjson', 'r.json', 'r.json.gz', 'r.csv', 'r.csv.gz', 'r.tsv', 'r.parquet'].map(
      (name) => [input, ['--output', join(out, name)], 0, [name]] as const,
    ),
  ),
  ['in.csv', ['--output', join(out, 'r.csv'), '--errors', join(out, 'e.csv')], 0, ['e.csv', 'r.csv']],
  ['in.csv', ['--output-dir', join(out, 'made')], 0, ['made', 'made/in.csv']],
  [
    'in.csv refused.csv',
    ['--output', join(out, 'r.csv')],
    1,
    ['r.csv.checkpoint', 'r.csv.unfinished.parts', 'r.csv.unfinished.parts/part-000000.parquet'],
  ],
  [
    'in.csv refused.csv',
    ['--output-dir', join(out, 'made')],
    1,
    ['made', 'made/.patient-risk-run.json', 'made/in.csv'],
  ],
]
for (const [inputs, options, code, expected] of RUNS) {
  const named = options.map((word) => word.replace(`${out}/`, '')).join(' ')
  test(`${inputs} ${named} writes for its owner alone`, async () => {
    const args = [...inputs.split(' ').map(at), ...options, '--threads', '1', '--quiet']
    const ran = await runHere(['score', ...args])
    assert.equal(ran.code, code, ran.err)
    const written = (readdirSync(out, { recursive: true }) as string[]).sort()
    assert.deepEqual(written, expected)
    const open = written.filter((name) => (statSync(join(out, name)).mode & 0o077) !== 0)
    assert.deepEqual(open, [])
    assert.equal(process.umask(UMASK), UMASK)
  })
}
