/** Most rows are verified without being parsed. What is not parsed must be as it should be, and nothing else may decide that. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '../../../src/store/audit/audit-row.ts'
import { type Anchors, ChainVerifier } from '../../../src/store/audit/chain-verifier.ts'
import type { ReadableGroup } from '../../../src/store/audit/read-groups.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { endOf, linkGroup } from '../../../src/store/audit/write-groups.ts'
import { type MemoryStore, entry, openMemoryStore, storeOf } from '../memory-store.ts'

/** The numbers of the rows that are parsed meanwhile. */
async function parsedBy(work: () => unknown): Promise<readonly number[]> {
  const { parse } = JSON
  const seqs: number[] = []
  JSON.parse = (...args: Parameters<typeof parse>): unknown => {
    // A row with an escape in a name is read in pieces as well, which are no rows.
    const [, seq] = /^\{"seq":(\d+)/.exec(args[0]) ?? []
    if (seq !== undefined) seqs.push(Number(seq))
    return parse(...args)
  }
  try {
    await work()
  } finally {
    JSON.parse = parse
  }
  return seqs
}

async function storeWith(...groups: readonly (readonly AuditEntry[])[]): Promise<MemoryStore> {
  const store = await openMemoryStore()
  for (const group of groups) await store.appendAudit(group)
  return store
}

/** Anchors of six rows, two in each group, and the rows that are parsed. */
const ANCHORED: readonly (readonly [anchors: readonly number[], parsed: readonly number[]])[] = [
  [[], []],
  [[1], [1, 2]],
  [[2], [1, 2]],
  [[3], [3, 4]],
  [[4], [3, 4]],
  [
    [2, 5],
    [1, 2, 5, 6],
  ],
  [[7], []],
]
for (const [anchors, parsed] of ANCHORED) {
  test(`with anchors of the rows ${anchors.join(', ') || 'none'}, the rows ${parsed.join(', ') || 'none'} are parsed`, async () => {
    const store = await storeOf(6, 2)
    const rows = await store.readAudit({ most: 9 })
    const points: Anchors = anchors.map((seq) => ({ seq, hash: rows[seq - 1]?.hash ?? 'x' }))
    let report: Awaited<ReturnType<typeof verifyStore>> | undefined
    const seqs = await parsedBy(async () => (report = await verifyStore(store, points)))
    assert.deepEqual(seqs, parsed)
    assert.deepEqual(report?.faults, anchors.includes(7) ? ['row 7 of the anchor is missing'] : [])
    assert.deepEqual([report.rows, report.head.seq], [6, 6])
  })
}

test('rows after a gap are parsed, and those that follow them as they should are not', async () => {
  const store = await storeOf(8, 2)
  store.tables.exec('DELETE FROM audit WHERE last_seq = 4')
  assert.deepEqual(await parsedBy(() => verifyStore(store, [{ seq: 3, hash: 'x' }])), [5, 6])
})

const text = (more: string): AuditEntry => ({
  at: 2_000,
  keyId: null,
  text: `{"at":"1970-01-01T00:00:02.000Z","requestId":"r"${more}}`,
})
const MOVED = 'row 2 was changed or moved: its number or time does not fit the content'

/** What the second row says, whether it is parsed, and the fault. */
const TEXTS: readonly (readonly [what: string, AuditEntry, isParsed: boolean, fault: string | undefined])[] =
  [
    ['what rows say', entry(2, { records: 3, deployment: 'd' }), false, undefined],
    ['a time before that of the row before', entry(0), false, undefined],
    ['an escape', text(',"subject":"\\""'), true, undefined],
    ['another number', text(',"seq":9'), true, MOVED],
    ['another time', text(',"at":"1970-01-01T00:00:09.000Z"'), true, MOVED],
    ['another time by an escape', text(',"\\u0061t":"1970-01-01T00:00:09.000Z"'), true, MOVED],
    [
      'another hash before it',
      text(',"prev":"x"'),
      true,
      'row 2 does not follow row 1: one of them was changed, put in or moved',
    ],
    ['rows that were removed', text(',"startsAfter":0'), true, undefined],
    [
      'its time later',
      { ...text(''), text: '{"call":"x","at":"1970-01-01T00:00:02.000Z"}' },
      true,
      undefined,
    ],
  ]
for (const [what, row, isParsed, fault] of TEXTS) {
  test(`a row that says ${what} is ${isParsed ? 'parsed' : 'not parsed'}, and is ${fault === undefined ? 'right' : 'a fault'}`, async () => {
    const store = await storeWith([entry(1), row], [entry(3)])
    let faults: readonly string[] = []
    const seqs = await parsedBy(async () => ({ faults } = await verifyStore(store)))
    assert.deepEqual([seqs, faults], [isParsed ? [1, 2] : [], fault === undefined ? [] : [fault]])
  })
}

test('the first rows of a part are parsed only where something is wrong', async () => {
  const store = await storeOf(6, 2)
  assert.deepEqual(await parsedBy(() => verifyStore(store, [], { from: 4 })), [])
  await store.pruneAudit(2_500, 9_000)
  // The row of retention says where the chain begins.
  assert.deepEqual(await parsedBy(() => verifyStore(store)), [7])
})

/** A group of one row with this text, and what somebody has changed of its columns. */
function groupOf(line: string, change: Partial<ReadableGroup> = {}): ReadableGroup {
  return { ...linkGroup({ seq: 0, hash: '' }, [line], ''), dictionary: '', prev: '', ...change }
}
const LINE = entry(5).text
const DAMAGED = 'row 1 is damaged and cannot be read'

const GROUPS: readonly (readonly [what: string, ReadableGroup, fault: string | undefined])[] = [
  ['intact', groupOf(LINE), undefined],
  ['of another time', groupOf(LINE, { lastAt: 5_001 }), DAMAGED],
  ['without a time', groupOf(LINE.replace('"at"', '"to"'), { lastAt: 5_000 }), DAMAGED],
  ['of two rows', groupOf(LINE, { count: 2 }), 'row 0 is damaged and cannot be read'],
  ['empty', groupOf(LINE, { packed: Buffer.alloc(0) }), DAMAGED],
  [
    'of another hash',
    groupOf(LINE, { hash: Buffer.alloc(32) }),
    'row 1, or one chained together with it, was changed: the hash does not fit the content',
  ],
]
for (const [what, group, fault] of GROUPS) {
  test(`a group that is ${what} is ${fault === undefined ? 'right' : 'a fault'}`, () => {
    const verifier = new ChainVerifier()
    verifier.addGroup(group)
    const { faults, head, rows } = verifier.report()
    assert.equal(faults[0], fault)
    if (fault === undefined) assert.deepEqual([head, rows, verifier.seq], [endOf(group), 1, 1])
  })
}

test('a group after a gap is a fault, also where the hashes fit', () => {
  const [first, second] = [groupOf(LINE), groupOf(LINE)]
  const verifier = new ChainVerifier()
  verifier.addGroup(first)
  verifier.addGroup({
    ...second,
    ...linkGroup({ ...endOf(first), seq: 2 }, [LINE], ''),
    prev: endOf(first).hash,
  })
  assert.deepEqual(verifier.report().faults, ['between row 1 and row 3 rows are missing or out of order'])
})

test('progress is told page by page: rows that were verified, and all that are', async () => {
  const store = await storeOf(4, 2)
  const seen: (readonly [number, number])[] = []
  const onProgress = (...progress: readonly [number, number]): void => void seen.push(progress)
  await verifyStore(store, [], { rows: 2, onProgress })
  assert.deepEqual(seen.splice(0), [
    [2, 4],
    [4, 4],
  ])
  await verifyStore(store, [], { rows: 2, from: 3, onProgress })
  assert.deepEqual(seen.splice(0), [[2, 2]])
  await store.pruneAudit(2_500, 9_000)
  await verifyStore(store, [], { rows: 2, onProgress })
  assert.deepEqual(seen, [[3, 3]])
})
