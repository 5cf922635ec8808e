/** Retention removes rows month by month, and what is left of a month shows that an export of it belonged to the chain. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readParts } from '../../../src/store/audit/dropped-parts.ts'
import { type AuditRow, makeEntry } from '../../../src/store/audit/audit-row.ts'
import { keptFrom } from '../../../src/store/audit/audit-upkeep.ts'
import { verifyRows, verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { type MemoryStore, openMemoryStore } from '../memory-store.ts'

const DAYS = [
  '2026-01-02',
  '2026-01-31',
  '2026-02-01',
  '2026-02-28',
  '2026-04-30',
  '2026-05-01',
  '2026-05-09',
]
const NOW = Date.parse('2026-05-10T12:00:00Z')

async function storeOfMonths(): Promise<MemoryStore> {
  const store = await openMemoryStore()
  for (const day of DAYS) {
    const at = Date.parse(`${day}T23:59:59.999Z`)
    await store.appendAudit([makeEntry({ at, requestId: day, keyId: null, call: 'score' })])
  }
  return store
}

async function pruneAll(store: MemoryStore, before: number): Promise<number> {
  let steps = 0
  while ((await store.pruneAudit(before, NOW)) > 0) steps++
  return steps
}

const SETTINGS = [
  [{}, undefined],
  [{ retentionDays: null, retentionMonths: null }, undefined],
  [{ retentionDays: 10 }, '2026-04-30T12:00:00.000Z'],
  [{ retentionMonths: 1 }, '2026-04-01T00:00:00.000Z'],
  [{ retentionMonths: 6 }, '2025-11-01T00:00:00.000Z'],
  [{ retentionDays: 10, retentionMonths: 2 }, '2026-03-01T00:00:00.000Z'],
  [{ retentionDays: 365, retentionMonths: 2 }, '2025-05-10T12:00:00.000Z'],
] as const
for (const [settings, from] of SETTINGS) {
  test(`${JSON.stringify(settings)} keeps rows from ${from ?? 'the first'}`, () => {
    const kept = keptFrom(settings, NOW)
    assert.equal(kept === undefined ? undefined : new Date(kept).toISOString(), from)
  })
}

test('each month that is removed leaves a part, and an export of it can be verified against the part', async () => {
  const store = await storeOfMonths()
  const rows = await store.readAudit({ most: 99 })
  assert.equal(await pruneAll(store, keptFrom({ retentionMonths: 1 }, NOW) ?? 0), 2)
  const { start, ...ends } = await store.chainEnds()
  const parts = readParts(ends.parts)
  assert.deepEqual(parts, [
    { month: '2026-01', seq: 2, hash: rows[1]?.hash },
    { month: '2026-02', seq: 4, hash: rows[3]?.hash },
  ])
  assert.deepEqual(start, { seq: 4, hash: rows[3]?.hash })
  assert.deepEqual((await verifyStore(store)).faults, [])
  const january = rows.slice(0, 2)
  assert.deepEqual((await verifyRows(january, parts.slice(0, 1))).faults, [])
  const other = january.map((row): AuditRow => (row.seq === 2 ? { ...row, hash: 'x' } : row))
  assert.match((await verifyRows(other, parts.slice(0, 1))).faults.join(), /row 2 differs from the anchor/)
})

test('all rows of a store are removed where all are due, and none of an empty one', async () => {
  const store = await openMemoryStore()
  assert.equal(await store.pruneAudit(NOW, NOW), 0)
  const at = Date.parse('2026-01-02T00:00:00Z')
  for (const requestId of ['a', 'b', 'c'])
    await store.appendAudit([makeEntry({ at, requestId, keyId: null, call: 'score' })])
  assert.equal(await store.pruneAudit(at, NOW), 0, 'rows of that time are kept')
  assert.equal(await store.pruneAudit(at + 1, NOW), 3)
  assert.deepEqual((await verifyStore(store)).faults, [])
  assert.deepEqual((await store.chainEnds()).head.seq, 4)
})

test('a month that goes day by day is one part', async () => {
  const store = await storeOfMonths()
  for (const day of DAYS.slice(0, 5)) await pruneAll(store, Date.parse(`${day}T00:00:00Z`) + 2 * 86_400_000)
  const parts = readParts((await store.chainEnds()).parts)
  assert.deepEqual(
    parts.map(({ month, seq }) => [month, seq]),
    [
      ['2026-01', 2],
      ['2026-02', 4],
      ['2026-04', 5],
      ['2026-05', 6],
    ],
  )
  assert.deepEqual((await verifyStore(store)).faults, [])
})

test('rows that a version without parts has removed are a part without a month', async () => {
  const store = await storeOfMonths()
  const rows = await store.readAudit({ most: 99 })
  await pruneAll(store, Date.parse('2026-02-01'))
  store.tables.exec("UPDATE chain SET parts = '[]'")
  await pruneAll(store, Date.parse('2026-03-01'))
  const parts = readParts((await store.chainEnds()).parts)
  assert.deepEqual(
    parts.map(({ month, seq, hash }) => [month, seq, hash === rows[seq - 1]?.hash]),
    [
      ['', 2, true],
      ['2026-02', 4, true],
    ],
  )
  assert.deepEqual((await verifyStore(store)).faults, [])
})

const FORGERIES = [
  ['a changed hash', `replace(parts, 'HASH', 'x')`],
  ['another month', `replace(parts, '2026-01', '2026-02')`],
  ['a part that is missing', `'[' || substr(parts, instr(parts, '],[') + 2)`],
  ['no parts', `'[]'`],
]
for (const [what, sql] of FORGERIES) {
  test(`the list of parts is verified: ${what}`, async () => {
    const store = await storeOfMonths()
    const [, second] = await store.readAudit({ most: 99 })
    await pruneAll(store, Date.parse('2026-03-01'))
    store.tables.exec(`UPDATE chain SET parts = ${sql?.replace('HASH', second?.hash ?? '') ?? ''}`)
    assert.match(
      (await verifyStore(store)).faults.join(),
      /^the list of removed parts is not the one that row 9 has sealed$/,
    )
  })
}
