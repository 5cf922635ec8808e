/** `score` when the system refuses a read or a write: the message names the file and the operation. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { COMPILED, MAIN, run, runHere } from '../../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'failures-'))
after(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
writeFileSync(at('in.ndjson'), asLines(cleanRecords(3)))
mkdirSync(at('folder.ndjson'))
mkdirSync(at('taken.csv.converted'))
writeFileSync(at('taken.csv.converted/x'), '')

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
    'errors whose place aside is taken',
    ['in.ndjson', '-o', 'out.csv', '--errors', 'taken.csv'],
    /taken\.csv: cannot be written \(/,
  ],
  [
    'an input that is a folder',
    ['folder.ndjson', '-o', 'out.csv'],
    /folder\.ndjson: there is no file to score/,
  ],
]
for (const [what, args, message] of FAILURES) {
  test(`${what} is named, and nothing remains`, async () => {
    const there = readdirSync(folder)
    const named = args.map((word) => (/\.\w+$/.test(word) ? at(word) : word))
    const { code, err } = await runHere(['score', ...named])
    assert.equal(code, 1)
    assert.match(err, message)
    assert.deepEqual(readdirSync(folder), there)
  })
}

writeFileSync(at('refused.csv'), 'idx,age\n1,"84\n')
writeFileSync(at('in.csv'), 'idx,age\n1,84\n')
const TWICE = [at('in.ndjson'), at('in.csv'), '--to', 'csv']

/** What is scored, the folder for the outputs, and what is said. */
const REFUSED_FOLDERS: readonly (readonly [string, readonly string[], string, RegExp])[] = [
  ['two inputs for one output', TWICE, 'made', /Two inputs would be written to/],
  ['wrong usage', [at('in.csv'), '--threads', '0'], 'made', /--threads takes a number/],
  ['a refused input', [at('refused.csv')], 'made/for/it', /refused\.csv: line 2: the quote is not closed/],
  ['a refused input, a folder that was there', [at('refused.csv')], 'there/for/it', /is not closed/],
  ['a file in the place of the folder', [at('in.csv')], 'in.ndjson', /in\.csv: cannot be written \(EEXIST\)/],
  ['a file above the folder', [at('in.csv')], 'in.ndjson/made', /in\.csv: cannot be written \(ENOTDIR\)/],
]
for (const [what, args, outputs, message] of REFUSED_FOLDERS) {
  test(`--output-dir of a run that writes nothing leaves no folder: ${what}`, async () => {
    mkdirSync(at('there'), { recursive: true })
    const before = readdirSync(folder, { recursive: true })
    const { code, err } = await runHere(['score', ...args, '--output-dir', at(outputs), '--quiet'])
    assert.match(err, message)
    assert.equal(code, /takes a number|Two inputs/.test(err) ? 2 : 1)
    assert.deepEqual(readdirSync(folder, { recursive: true }), before)
  })
}

const UNWRITABLE: readonly (readonly [string, () => 'pipe' | number])[] = [
  ['has no room', () => openSync('/dev/full', 'w')],
  ['has no reader', () => 'pipe'],
]
for (const [what, open] of UNWRITABLE) {
  test(`a standard error that ${what} does not end a run`, async () => {
    const args = [MAIN, 'score', at('in.ndjson'), '-o', at('out.ndjson')]
    const child = spawn(process.execPath, args, { env: COMPILED, stdio: ['ignore', 'ignore', open()] })
    child.stderr?.destroy()
    const [code] = (await once(child, 'close')) as [number | null]
    assert.equal(code, 0)
    assert.equal(readFileSync(at('out.ndjson'), 'utf8').split('\n').length, 4)
    rmSync(at('out.ndjson'))
  })
}

for (const name of ['in.ndjson', 'in.csv']) {
  test(`a standard output that has no room is named: ${name}`, async () => {
    const child = spawn(process.execPath, [MAIN, 'score', at(name), '--quiet'], {
      env: COMPILED,
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    })
    let said = ''
    child.stderr?.on('data', (part: Buffer) => (said += part.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    assert.deepEqual([code, said], [1, 'the standard output: cannot be written (ENOSPC).\n'])
  })
}

const ERRORS_ALONE: readonly (readonly [string, string, number, boolean])[] = [
  ['appear when they are complete', '[{"idx":1},{"idx":2}]', 3, true],
  ['do not appear when the input is refused', '[{"idx":1},{"idx":2 x}]', 1, false],
]
for (const [what, content, code, appears] of ERRORS_ALONE) {
  test(`errors without an output ${what}`, async () => {
    writeFileSync(at('alone.json'), content)
    const there = readdirSync(folder)
    const ran = await run(['score', at('alone.json'), '--errors', at('errors.ndjson'), '--quiet'])
    assert.equal(ran.code, code)
    assert.deepEqual(readdirSync(folder), (appears ? [...there, 'errors.ndjson'] : there).sort())
    if (appears) assert.equal(readFileSync(at('errors.ndjson'), 'utf8'), ran.out)
    rmSync(at('errors.ndjson'), { force: true })
    rmSync(at('alone.json'))
  })
}
