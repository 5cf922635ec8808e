/** What `score` writes over, and what it never does: its input, a second output, or something that is no file. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { UsageError } from '../../src/cli/command.ts'
import { score } from '../../src/cli/score/score.ts'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'
import { COMPILED, MAIN } from '../../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'places-'))
const home = process.cwd()
const INPUT = asLines(cleanRecords(3))
before(() => process.chdir(folder))
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(name, { recursive: true })
  writeFileSync('in.ndjson', INPUT)
})
after(() => {
  process.chdir(home)
  rmSync(folder, { recursive: true })
})

type Over = readonly [string, readonly string[], RegExp, (() => void)?]

/** What a run that is under way writes beside its output. */
const OWN_NAMES = [
  'unfinished',
  'unfinished.marked',
  'unfinished.parts',
  'checkpoint',
  'checkpoint.converted',
  'converted',
]

const OVER: readonly Over[] = [
  ['output over the input', ['in.ndjson', '--output', 'in.ndjson'], /--output would write over the input/],
  ['another spelling', ['in.ndjson', '--output', './in.ndjson'], /over the input/],
  ['its whole path', ['in.ndjson', '--output', join(folder, 'in.ndjson')], /over the input/],
  [
    'a link to it',
    ['in.ndjson', '--output', 'link.ndjson'],
    /over the input/,
    () => symlinkSync('in.ndjson', 'link.ndjson'),
  ],
  [
    'the input as a link',
    ['link.ndjson', '--output', 'in.ndjson'],
    /over the input/,
    () => symlinkSync('in.ndjson', 'link.ndjson'),
  ],
  [
    'a hard link to it',
    ['in.ndjson', '--output', 'hard.ndjson'],
    /over the input/,
    () => linkSync('in.ndjson', 'hard.ndjson'),
  ],
  [
    'a folder that is a link',
    ['in.ndjson', '--output', 'here/in.ndjson'],
    /over the input/,
    () => symlinkSync('.', 'here'),
  ],
  ['errors over the input', ['in.ndjson', '--errors', './in.ndjson'], /--errors would write over the input/],
  ...OWN_NAMES.map((ending): Over => {
    const name = `out.ndjson.${ending}`
    return [
      `the input under the name ${name} of a run`,
      [name, '--from', 'ndjson', '--output', 'out.ndjson'],
      /over the input/,
      () => writeFileSync(name, INPUT),
    ]
  }),
  [
    'output and errors in one file',
    ['in.ndjson', '--output', 'same.ndjson', '--errors', './same.ndjson'],
    /--errors would write over the file of --output/,
  ],
  [
    'output and errors in one file, through a link to a file that does not exist',
    ['in.ndjson', '--output', 'same.ndjson', '--errors', 'link.ndjson'],
    /--errors would write over the file of --output/,
    () => symlinkSync('same.ndjson', 'link.ndjson'),
  ],
  [
    'errors where the output lies while it is unfinished',
    ['in.ndjson', '--output', 'x', '--to', 'csv', '--errors', 'e.csv'],
    /--errors would write over/,
    () => symlinkSync('x.unfinished', 'e.csv'),
  ],
  [
    'a folder',
    ['in.ndjson', '--output', 'sub.csv'],
    /not a regular file.*redirect the standard output/,
    () => mkdirSync('sub.csv'),
  ],
  ['a FIFO', ['in.ndjson', '--output', 'pipe.csv'], /not a regular file.*redirect/, () => fifo('pipe.csv')],
  [
    'a link to a FIFO',
    ['in.ndjson', '--output', 'link.csv'],
    /not a regular file.*redirect/,
    () => {
      fifo('pipe')
      symlinkSync('pipe', 'link.csv')
    },
  ],
  ['errors to a FIFO', ['in.ndjson', '--errors', 'pipe.csv'], /not a regular file/, () => fifo('pipe.csv')],
  [
    'a link to itself',
    ['in.ndjson', '--output', 'round.csv'],
    /without an end/,
    () => symlinkSync('round.csv', 'round.csv'),
  ],
  ['no name', ['in.ndjson', '--output', '', '--to', 'csv'], /needs the name of a file/],
]
for (const [what, args, message, arrange] of OVER) {
  test(`wrong usage, and nothing is written: ${what}`, async () => {
    arrange?.()
    const there = readdirSync('.')
    await assert.rejects(
      async () => score.run([...args, '--quiet']),
      (error: Error) => {
        assert.match(error.message, message)
        return error instanceof UsageError
      },
    )
    assert.deepEqual(readdirSync('.'), there)
    assert.equal(readFileSync('in.ndjson', 'utf8'), INPUT)
  })
}

test('the standard input may be a file too, and is not written over', () => {
  const stdin = openSync('in.ndjson', 'r')
  assert.throws(
    () =>
      execFileSync(process.execPath, [MAIN, 'score', '-', '-o', 'in.ndjson'], {
        env: COMPILED,
        stdio: [stdin, 'pipe'],
      }),
    (error: { status?: unknown }) => error.status === 2,
  )
  assert.equal(readFileSync('in.ndjson', 'utf8'), INPUT)
})

for (const exists of [true, false]) {
  test(`a link as output stays one, and what it points to is written, ${exists ? 'there already' : 'not there yet'}`, async () => {
    mkdirSync('deep')
    if (exists) writeFileSync('deep/out.csv', 'old')
    symlinkSync('deep/out.csv', 'link.csv')
    assert.equal(await score.run(['in.ndjson', '--output', 'link.csv', '--threads', '1', '--quiet']), 0)
    assert.ok(lstatSync('link.csv').isSymbolicLink())
    assert.match(readFileSync('deep/out.csv', 'utf8'), /^idx,risk,error_message\n0,0/)
    assert.deepEqual(readdirSync('deep'), ['out.csv'])
  })
}

test('--output - is the standard output', () => {
  const args = [MAIN, 'score', 'in.ndjson', '--output', '-', '--quiet']
  const out = execFileSync(process.execPath, args, { encoding: 'utf8', env: COMPILED })
  assert.equal(out.split('\n').length, 4)
  assert.deepEqual(readdirSync('.'), ['in.ndjson'])
})

function fifo(name: string): void {
  execFileSync('mkfifo', [name])
}
