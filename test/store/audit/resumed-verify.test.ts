/** Verifying goes on where the last run ended, and says what it leaves out; a failed read is made again. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import type { PageQuery } from '../../../src/store/audit/read-groups.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { runHere } from '../../cli/run.ts'
import { entry, storeOf } from '../memory-store.ts'

/** The first row, a change of eight rows in groups of two, how many rows are verified, and the faults. */
const RESUMED: readonly (readonly [number, string, number, readonly RegExp[]])[] = [
  [1, 'SELECT 1', 8, []],
  [2, 'SELECT 1', 8, []],
  [3, 'SELECT 1', 6, []],
  [8, 'SELECT 1', 2, []],
  [9, 'SELECT 1', 0, [/^row 9 is not in the chain: its recorded head is row 8$/]],
  [5, "UPDATE audit SET packed = X'ff' WHERE last_seq = 2", 4, []],
  [
    5,
    "UPDATE audit SET packed = X'ff' WHERE last_seq = 6",
    4,
    [/row 5 is damaged/, /row 6 is damaged/, /row [78]/],
  ],
  [5, 'UPDATE audit SET hash = zeroblob(32) WHERE last_seq = 4', 4, [/^row 6, or one chained together/]],
  [5, 'DELETE FROM audit WHERE last_seq = 6', 2, [/^row 8, or one chained together/]],
  [
    5,
    'DELETE FROM audit WHERE last_seq = 8',
    2,
    [/^the chain ends at row 6, but its recorded head is row 8$/],
  ],
]
for (const [from, sql, rows, faults] of RESUMED) {
  test(`verified from row ${from}: ${sql}`, async () => {
    const store = await storeOf(8, 2)
    store.tables.exec(sql)
    const report = await verifyStore(store, [], { from })
    assert.deepEqual([report.rows, report.first], [rows, from === 1 ? undefined : from])
    assert.equal(report.faults.length, faults.length, report.faults.join('\n'))
    faults.forEach((fault, place) => assert.match(report.faults[place] ?? '', fault))
  })
}

test('a start that has moved since the last run must be recorded by a row that is verified', async () => {
  const store = await storeOf(8, 2)
  const { start, head } = await verifyStore(store)
  const resume = { from: head.seq, knownStart: start }
  await store.pruneAudit(3_500, 9_000)
  assert.deepEqual((await verifyStore(store, [head], resume)).faults, [])
  const [fourth] = await store.readAudit({ after: 3, most: 1 })
  store.tables.exec(`DELETE FROM audit WHERE last_seq = 4;
    UPDATE chain SET start_seq = 4, start_hash = '${fourth?.hash}'`)
  assert.deepEqual((await verifyStore(store, [head], resume)).faults, [
    'rows up to 4 are gone, and no row says that retention removed them',
  ])
})

test('a read that fails is made again on fewer rows, and named', async () => {
  const store = await storeOf(9)
  const asked: (number | undefined)[] = []
  const failing = (times: number): Store =>
    ({
      chainEnds: () => store.chainEnds(),
      readGroups: (page: PageQuery) => {
        asked.push(page.rows)
        return asked.length <= times ? Promise.reject(new Error('PostgreSQL 57014')) : store.readGroups(page)
      },
    }) as Partial<Store> as Store
  const notes: string[] = []
  const onRetry = (note: string): void => void notes.push(note)
  const { rows, faults } = await verifyStore(failing(1), [], { rows: 8, onRetry })
  assert.deepEqual([rows, faults, asked.slice(0, 2)], [9, [], [8, 4]])
  assert.deepEqual(notes, ['reading the rows after 0 failed (PostgreSQL 57014); try 2 of 6'])
})

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-verify-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'verified.json')
const env = { DATA_DIR: folder }

test('the verified head is remembered; the next run begins there and needs it in the chain', async () => {
  const append = async (from: number, to: number): Promise<void> => {
    const { store } = await openStore(folder, undefined)
    for (let place = from; place <= to; place++) await store.appendAudit([entry(place)])
    await store.close()
  }
  await append(1, 4)
  const first = await runHere(['audit', 'verify', '--remember', file], env)
  assert.match(first.out, /^Intact: 4 rows\. Anchor: 4:/)
  const kept = readFileSync(file, 'utf8')
  assert.deepEqual(Object.keys(JSON.parse(kept) as object), ['seq', 'hash', 'at', 'start'])
  await append(5, 9)
  const second = await runHere(['audit', 'verify', '--remember', file], env)
  assert.match(
    second.out,
    /^Not verified now: the rows before row 4, which were verified at 2\S+Z\.\nIntact: [6-9] rows\. Anchor: 9:/,
  )
  const third = await runHere(['audit', 'verify', '--from', '9'], env)
  assert.match(third.out, /^Not verified now: the rows before row 9\.\nIntact: \d rows\. Anchor: 9:/)
  writeFileSync(file, kept.replace(/"hash":"."?/, '"hash":"x'))
  const changed = await runHere(['audit', 'verify', '--remember', file], env)
  assert.deepEqual([changed.code, changed.err.split('\n')[0]], [1, 'row 4 differs from the anchor'])
  assert.match(readFileSync(file, 'utf8'), /"seq":4,"hash":"x/, 'a failed run remembers nothing')
  writeFileSync(file, kept)
  const tables = new DatabaseSync(join(folder, 'patient-risk.sqlite'))
  tables.exec('DELETE FROM audit WHERE last_seq <= 4')
  tables.close()
  const missing = await runHere(['audit', 'verify', '--remember', file], env)
  assert.equal(missing.code, 1)
  assert.match(missing.err, /row 4 of the anchor is missing/)
})

const MISUSES = [
  ['--from', '0'],
  ['--from', 'x'],
  ['--from', '3', '--remember', file],
  ['--file', file, '--from', '3'],
  ['--remember', join(import.meta.dirname, 'resumed-verify.test.ts')],
]
for (const misuse of MISUSES) {
  test(`wrong usage: audit verify ${misuse[0]} ${misuse[2] ?? ''}`, async () => {
    assert.equal((await runHere(['audit', 'verify', ...misuse], env)).code, 2)
  })
}
