/** After any changes of the inputs, `score --changed` has what a run over all of them gives; with `--key`, what its outputs add up to. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/fast-check.ts'
import { runHere } from '../../../../../test/support/run-command.ts'
import { readTableRows } from '../../../../../test/support/table-files.ts'
import { NightlyFolder } from './nightly-folder.ts'

const HEADER = 'nhc,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays,ward'
type Name = 'a.csv' | 'b.csv' | 'deep/c.csv'
const OPTIONS = ['--id', 'nhc', '--keep', 'ward', '--quiet']

/** Few identifiers and ages, so that rows repeat, change and come back. */
const row = fc
  .tuple(
    fc.constantFrom('P1', 'P2', 'P3', 'P4', 'P5', ''),
    fc.constantFrom('70', '71', 'x', ''),
    fc.constantFrom('north', 'south', '"a,b"'),
  )
  .map(([nhc, age, ward]) => `${nhc},${age},F,1,0,5,${ward}`)
const table = fc
  .array(row, { maxLength: 6 })
  .map((rows) => [HEADER, ...rows].map((each) => `${each}\n`).join(''))
/** A night changes some files; undefined takes one away. The first file stays, so that there is always one. */
const night = fc.record(
  { 'a.csv': table, 'b.csv': fc.option(table), 'deep/c.csv': fc.option(table) },
  { requiredKeys: [] },
)

function change(
  folder: NightlyFolder,
  changes: Partial<Record<Name, string | null>>,
  there: Set<string>,
): void {
  for (const [name, content] of Object.entries(changes)) {
    if (typeof content === 'string') {
      folder.write(name, content)
      there.add(name)
    } else if (there.delete(name)) folder.remove(name)
  }
}

type Row = Readonly<Record<string, unknown>>
const read = (path: string): Promise<readonly Row[]> => readTableRows(path, 'csv')

async function plainOutputs(folder: NightlyFolder): Promise<string> {
  const plain = join(folder.root, 'plain')
  await runHere(['score', folder.inputs, '--output-dir', plain, '--threads', '1', ...OPTIONS])
  return plain
}

test('outputs are those of a plain run', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 2, maxLength: 4 }), async (nights) => {
      using folder = new NightlyFolder()
      const there = new Set<string>(['a.csv'])
      folder.write('a.csv', `${HEADER}\n`)
      for (const changes of nights) {
        change(folder, changes, there)
        await folder.run([...OPTIONS, '--remove-gone'])
      }
      const plain = await plainOutputs(folder)
      for (const name of there)
        assert.deepEqual(await read(join(folder.outputs, name)), await read(join(plain, name)))
      assert.deepEqual(folder.names(), [...there, 'risk-manifest.json'].sort())
    }),
    { numRuns: 12 },
  )
})

test('with --key, the outputs of all nights add up to those of a plain run', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(table, { minLength: 2, maxLength: 5 }), async (nights) => {
      using folder = new NightlyFolder()
      const known = new Map<string, readonly Row[]>()
      let last: string | undefined
      for (const content of nights) {
        folder.write('a.csv', content)
        await folder.run([...OPTIONS, '--key', 'nhc'])
        const { sha256, keyed } = folder.manifest().files['a.csv'] ?? {}
        if (sha256 === last) continue
        assert.equal(keyed?.since, last)
        apply(known, await read(join(folder.outputs, 'a.csv')))
        last = sha256
      }
      const rows = await read(join(await plainOutputs(folder), 'a.csv'))
      const withKey = rows.filter(({ idx }) => idx !== null)
      assert.deepEqual(sorted([...known.values()].flat()), sorted(withKey))
    }),
    { numRuns: 20 },
  )
})

/** As a reader does: what is gone is deleted first, then all rows of a changed identifier take the place of those before. */
function apply(known: Map<string, readonly Row[]>, rows: readonly Row[]): void {
  const changed = new Map<string, Row[]>()
  for (const { change: mark, ...answer } of rows) {
    const key = answer['idx']
    if (typeof key !== 'string') continue
    if (mark === 'deleted') known.delete(key)
    else changed.set(key, [...(changed.get(key) ?? []), answer])
  }
  for (const [key, answers] of changed) known.set(key, answers)
}

function sorted(rows: readonly Row[]): readonly string[] {
  return rows.map((each) => JSON.stringify(each, Object.keys(each).sort())).sort()
}
