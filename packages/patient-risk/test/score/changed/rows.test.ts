/** `score --changed --key`: outputs have the new and changed rows alone, and marks for those that are gone. */
import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readTableRows, writeParquet } from '../../../../../test/support/table-files.ts'
import { type ManifestEntry, NightlyFolder } from './nightly-folder.ts'

const HEADER = 'nhc,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays,ward'
const KEYED = ['--id', 'nhc', '--key', 'nhc', '--keep', 'ward']

function csv(...rows: readonly string[]): string {
  return [HEADER, ...rows].map((row) => `${row}\n`).join('')
}

const A1 = 'A1,84,F,2,1,7,north'
const A2 = 'A2,80,F,2,1,7,north'
const A3 = 'A3,70,M,2,1,7,south'

/** A folder after its first run, which each test gets a copy of. */
const FIRST = new NightlyFolder()
before(async () => {
  FIRST.write('a.csv', csv(A1, A2, A3))
  assert.match(
    await FIRST.line(KEYED),
    /^1 of 1 inputs scored \(1 new\), 0 as before, 3 rows changed, 0 rows deleted\.$/,
  )
})
after(() => FIRST[Symbol.dispose]())
const threeRows = (): NightlyFolder => FIRST.copy()

/** The key and the mark of each row. Messages are the only cells with quotes. */
function marks(folder: NightlyFolder): readonly string[] {
  const [head = '', ...rows] = folder.output('a.csv').trimEnd().split('\n')
  const place = head.split(',').indexOf('change')
  return rows.map((row) => {
    const cells = row.replace(/"(?:[^"]|"")*"/g, 'message').split(',')
    return `${cells[0]} ${cells[place]}`
  })
}

function entry(folder: NightlyFolder): ManifestEntry {
  return folder.manifest().files['a.csv'] as ManifestEntry
}

const ALL = ['A1 changed', 'A2 changed', 'A3 changed']

/**
 * The rows of a case before and now, and what the second output has of them. Keys belong to one case. The cases are rows of one
 * file, in this order.
 */
const CASES: readonly (readonly [string, readonly string[], readonly string[], readonly string[]])[] = [
  ['a changed cell that the model reads', ['B1,70,M,2,1,7,x'], ['B1,71,M,2,1,7,x'], ['B1 changed']],
  ['a changed cell that is kept', ['C1,84,F,2,1,7,north'], ['C1,84,F,2,1,7,south'], ['C1 changed']],
  [
    'a new row in the middle',
    ['D1,84,F,2,1,7,x', 'D3,80,F,2,1,7,x'],
    ['D1,84,F,2,1,7,x', 'D2,60,F,0,0,1,x', 'D3,80,F,2,1,7,x'],
    ['D2 changed'],
  ],
  ['a row that is gone', ['E1,80,F,2,1,7,x'], [], ['E1 deleted']],
  [
    'another order',
    ['F1,84,F,2,1,7,x', 'F2,80,F,2,1,7,x', 'F3,70,M,2,1,7,x'],
    ['F3,70,M,2,1,7,x', 'F2,80,F,2,1,7,x', 'F1,84,F,2,1,7,x'],
    [],
  ],
  ['a cell in another form', ['G1,84,F,2,1,7,x'], ['G1,84.0,F,2,1,7,x'], ['G1 changed']],
  [
    'an identifier that comes twice now',
    ['H1,80,F,2,1,7,x'],
    ['H1,80,F,2,1,7,x', 'H1,80,F,2,1,7,x'],
    ['H1 changed', 'H1 changed'],
  ],
  [
    'an identifier that came twice and does not any more',
    ['I1,80,F,2,1,7,x', 'I1,80,F,2,1,7,x'],
    ['I1,80,F,2,1,7,x'],
    ['I1 changed'],
  ],
  [
    'a row without a key, and one with too few cells',
    [],
    [',84,F,2,1,7,x', 'J1,84'],
    [' changed', ' changed'],
  ],
]

test('the second output has the changed rows alone', async () => {
  using folder = new NightlyFolder()
  const write = (place: 1 | 2): void => folder.write('a.csv', csv(...CASES.flatMap((each) => each[place])))
  write(1)
  await folder.run(KEYED)
  const first = entry(folder)
  write(2)
  assert.match(await folder.line(KEYED), /^1 of 1 inputs scored \(1 changed\)/)
  const found = marks(folder)
  for (const [what, before, now, expected] of CASES) {
    const keys = [...before, ...now].map((row) => row.split(',', 1)[0])
    const own = found.filter((mark) => keys.includes(mark.split(' ', 1)[0]))
    assert.deepEqual(own, expected, what)
  }
  const all = CASES.flatMap(([, , , expected]) => expected)
  assert.equal(found.length, all.length)
  const { keyed, rows: counted, sha256 } = entry(folder)
  assert.equal(counted, CASES.flatMap(([, , now]) => now).length)
  assert.equal(keyed?.since, first.sha256)
  assert.deepEqual([keyed.changed, keyed.deleted], [all.length - 1, 1])
  assert.equal(sha256, folder.hashOf('a.csv'))
  assert.match(folder.output('a.csv'), /^I1,0\.\d+,/m)
  assert.match(await folder.line(KEYED), /^0 of 1 /)
})

test('a second input without rows marks all of them', async () => {
  using folder = threeRows()
  folder.write('a.csv', csv())
  await folder.run(KEYED)
  assert.deepEqual(marks(folder), ['A1 deleted', 'A2 deleted', 'A3 deleted'])
  assert.deepEqual([entry(folder).rows, entry(folder).keyed?.deleted], [0, 3])
})

test('a row whose cells are as before is written where its answer has changed: a day has passed', async (context) => {
  using folder = new NightlyFolder()
  const dated = (row: string, day: string): string => `${row},${day}`
  const rows = [dated(A1, '19-11-2026'), dated(A2, '01-10-2026')]
  folder.write('a.csv', [`${HEADER},barthel_date`, ...rows].map((row) => `${row}\n`).join(''))
  const setDay = (day: string): void => {
    context.mock.timers.reset()
    context.mock.timers.enable({ apis: ['Date'], now: Date.parse(`${day}T12:00:00`) })
  }
  setDay('2026-11-18')
  await folder.run(KEYED)
  assert.match(folder.output('a.csv'), /date in the future/)
  setDay('2026-11-19')
  await folder.run(KEYED)
  assert.deepEqual(marks(folder), ['A1 changed'])
  assert.doesNotMatch(folder.output('a.csv'), /date in the future/)
})

test('another model writes all rows again, and marks those that are gone', async () => {
  using folder = threeRows()
  const { sha256 } = entry(folder)
  folder.write('a.csv', csv(A1, A2))
  await folder.run([...KEYED, '--model', 'hospital'])
  assert.deepEqual(marks(folder), ['A1 changed', 'A2 changed', 'A3 deleted'])
  assert.deepEqual([entry(folder).keyed?.isWhole, entry(folder).keyed?.since], [true, sha256])
})

test('other options begin again: the output continues none', async () => {
  using folder = threeRows()
  folder.write('a.csv', csv(A1, A2))
  await folder.run([...KEYED, '--source'])
  assert.deepEqual(marks(folder), ['A1 changed', 'A2 changed'])
  assert.deepEqual([entry(folder).keyed?.isWhole, entry(folder).keyed?.since], [true, undefined])
})

test('an output that is lost is made again as it was', async () => {
  using folder = threeRows()
  folder.write('a.csv', csv(A1, A3.replace('70', '71')))
  await folder.run(KEYED)
  const before = { text: folder.output('a.csv'), since: entry(folder).keyed?.since }
  rmSync(join(folder.outputs, 'a.csv'))
  assert.match(
    await folder.line(KEYED),
    /lost or not as it was written\), 0 as before, 1 rows changed, 1 rows/,
  )
  assert.deepEqual({ text: folder.output('a.csv'), since: entry(folder).keyed?.since }, before)
})

test('without the file of the rows, all rows are written', async () => {
  using folder = threeRows()
  const hashes = join(folder.outputs, '.risk-rows')
  const [name = ''] = readdirSync(hashes)
  writeFileSync(join(hashes, name), 'other')
  folder.write('a.csv', csv(A1, A2))
  await folder.run(KEYED)
  assert.deepEqual(marks(folder), ['A1 changed', 'A2 changed'])
  assert.equal(entry(folder).keyed?.since, undefined)
  // The file of this state alone is needed.
  assert.equal(readdirSync(hashes).length, 1)
})

test('a key that is not the identifier is a column of the results', async () => {
  const options = ['--id', 'nhc', '--key', 'ward']
  using folder = new NightlyFolder()
  folder.write('a.csv', csv(A1, A3))
  await folder.run(options)
  folder.write('a.csv', csv(A1))
  await folder.run(options)
  assert.equal(folder.output('a.csv'), 'idx,risk,error_message,change,ward\nA3,,,deleted,south\n')
})

test('a typed table keeps its types, with marks in Parquet and NDJSON', async () => {
  using folder = new NightlyFolder()
  const types = { idx: 'BIGINT', age: 'INTEGER', sex: 'VARCHAR', stayDays: 'INTEGER', seen: 'DATE' }
  const row = (idx: number, age: number): Readonly<Record<string, unknown>> => ({
    ...{ idx, age, sex: 'F', stayDays: 2, seen: '2026-11-01' },
  })
  const path = join(folder.inputs, 'a.parquet')
  const options = ['--key', 'idx', '--keep', 'seen']
  await writeParquet(path, types, [row(1, 70), row(2, 71), row(3, 72)])
  await folder.run(options)
  await writeParquet(path, types, [row(1, 70), row(3, 75)])
  await folder.run(options)
  const rows = await readTableRows(join(folder.outputs, 'a.parquet'), 'parquet')
  assert.deepEqual(
    rows.map(({ idx, change, seen }) => [idx, change, seen instanceof Date]),
    [
      [3n, 'changed', true],
      [2n, 'deleted', false],
    ],
  )
  await folder.run([...options, '--to', 'ndjson'])
  assert.match(
    folder.output('a.ndjson'),
    /^\{"idx":1,"risk":null,"error_message":\[.*\],"change":"changed","seen":"2026-11-01"\}\n/,
  )
})

test('the first output has all rows', () => {
  using folder = threeRows()
  assert.deepEqual(marks(folder), ALL)
  assert.deepEqual([entry(folder).keyed?.isWhole, entry(folder).keyed?.since], [true, undefined])
})

test('a key that the table does not have is refused', async () => {
  using folder = new NightlyFolder()
  folder.write('a.csv', csv(A1))
  const { code, err } = await folder.run(['--id', 'nhc', '--key', 'nch'])
  assert.equal(code, 1)
  assert.match(err, /nch/)
})
