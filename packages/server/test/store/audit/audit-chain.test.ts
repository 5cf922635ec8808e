/** Groups and the verifier without a database: what is packed comes back, and every change is found. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { fc } from '../../../../../test/support/fast-check.ts'
import { type AuditRow, makeEntry, groupEntries } from '../../../src/store/audit/audit-row.ts'
import { type ReadableGroup, rowsOf, selectRows } from '../../../src/store/audit/read-groups.ts'
import { ChainVerifier } from '../../../src/store/audit/chain-verifier.ts'
import { endOf, linkGroup } from '../../../src/store/audit/write-groups.ts'

const GROUPS = [3, 1, 4] as const

/** Groups of these sizes, chained; times grow by a second. */
function chain(sizes: readonly number[]): readonly ReadableGroup[] {
  let head = { seq: 0, hash: '' }
  let at = 0
  return sizes.map((size) => {
    const entries = Array.from({ length: size }, () =>
      makeEntry({
        at: (at += 1_000),
        requestId: `r${at / 1_000}`,
        keyId: null,
        call: 'score',
        deployment: 'd',
      }),
    )
    const texts = entries.map(({ text }) => text)
    const linked = linkGroup(head, texts, texts[0] ?? '')
    assert.deepEqual([linked.count, linked.lastAt], [size, at])
    const group = { ...linked, dictionary: texts[0] ?? '', prev: head.hash }
    head = endOf(linked)
    return group
  })
}

function faultsOf(rows: readonly AuditRow[]): readonly string[] {
  const verifier = new ChainVerifier()
  for (const row of rows) verifier.add(row)
  return verifier.report().faults
}

test('rows come back with their numbers, times and hashes', () => {
  const rows = chain(GROUPS).flatMap(rowsOf)
  assert.deepEqual(
    rows.map(({ seq, at }) => [seq, at]),
    Array.from({ length: 8 }, (_each, place) => [place + 1, (place + 1) * 1_000]),
  )
  assert.deepEqual(faultsOf(rows), [])
})

const QUERIES = [
  [{ most: 3 }, [1, 2, 3]],
  [{ after: 2, most: 3 }, [3, 4, 5]],
  [{ newestFirst: true, most: 2 }, [8, 7]],
  [{ newestFirst: true, after: 7, most: 2 }, [6, 5]],
  [{ from: 6_000, most: 9 }, [6, 7, 8]],
  [{ requestId: 'r5', most: 9 }, [5]],
  [{ requestId: 'r', most: 9 }, []],
] as const
for (const [query, seqs] of QUERIES) {
  test(`${JSON.stringify(query)} selects ${seqs.join(', ')}`, () => {
    const groups = chain(GROUPS)
    const ordered = 'newestFirst' in query ? [...groups].reverse() : groups
    assert.deepEqual(
      selectRows(ordered, query).map(({ seq }) => seq),
      seqs,
    )
  })
}

test('a changed count, time or hash of a group is found', () => {
  const [first, second, third] = chain(GROUPS) as [ReadableGroup, ReadableGroup, ReadableGroup]
  const changes: readonly Partial<ReadableGroup>[] = [
    { count: 2 },
    { lastAt: 7 },
    { hash: Buffer.alloc(32) },
    { prev: 'x' },
    { packed: Buffer.alloc(3) },
    { dictionary: '' },
  ]
  for (const change of changes) {
    const rows = [first, { ...second, ...change }, third].flatMap(rowsOf)
    assert.notDeepEqual(faultsOf(rows), [], JSON.stringify(change))
  }
})

/** What somebody has changed of the columns of a group with three rows, and the numbers of the rows that are shown. */
const UNREADABLE: readonly (readonly [Partial<ReadableGroup>, from: number, to: number])[] = [
  [{ count: 2 }, 2, 3],
  [{ count: 4 }, 0, 3],
  [{ count: 0 }, 3, 3],
  [{ count: 1e9 }, -9_996, 3],
  [{ lastAt: 7 }, 1, 3],
  [{ packed: Buffer.alloc(3) }, 1, 3],
  [{ dictionary: '' }, 1, 3],
]
for (const [change, from, to] of UNREADABLE) {
  test(`rows of a group with ${JSON.stringify(change)} are shown as damaged, from ${from} to ${to}`, () => {
    const [group] = chain(GROUPS) as [ReadableGroup]
    const rows = rowsOf({ ...group, ...change })
    assert.equal(rows.length, to - from + 1)
    const damaged = { at: change.lastAt ?? 3_000, content: '', hash: '' }
    assert.ok(rows.every((row, place) => isDeepStrictEqual(row, { seq: from + place, ...damaged })))
  })
}

test('a changed, moved or missing row of an export is found', () => {
  const rows = chain(GROUPS).flatMap(rowsOf)
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom('change', 'hash', 'remove', 'swap', 'time', 'number'),
      (place, how) => {
        const copy = [...rows]
        const row = copy[place] as AuditRow
        if (how === 'change') copy[place] = { ...row, content: row.content.replace('score', 'scare') }
        else if (how === 'hash') copy[place] = { ...row, hash: 'x' }
        else if (how === 'remove') copy.splice(place, 1)
        else if (how === 'swap') copy.splice(place, 2, copy[place + 1] as AuditRow, row)
        else if (how === 'time') copy[place] = { ...row, at: 1 }
        else copy[place] = { ...row, seq: 99 }
        assert.notDeepEqual(faultsOf(copy), [])
      },
    ),
    { numRuns: 100 },
  )
})

test('the uses of keys are counted by the minute', () => {
  const entry = (at: number, keyId: string | null): ReturnType<typeof makeEntry> =>
    makeEntry({ at, keyId, requestId: 'x', call: 'score' })
  const { uses } = groupEntries([entry(61_000, 'a'), entry(200_000, 'a'), entry(5, 'b'), entry(7, null)])
  assert.deepEqual(uses, [
    ['a', 180_000],
    ['b', 0],
  ])
})
