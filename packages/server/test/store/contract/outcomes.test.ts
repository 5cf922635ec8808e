/** The contract of every store: outcomes are counted once, by several processes and after a crash; alarms hold until acknowledged. */
import assert from 'node:assert/strict'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import { HOUR, KEPT_UNTIL, NOW, auditedIds, cell, countedIn, outcomesOf } from '../outcome-requests.ts'
import { onEachStore } from './each-store.ts'

onEachStore((given, test) => {
  test('cells add up by their keys, and are read over any columns', async () => {
    const { store } = given
    const cells = [
      cell(),
      cell({ outcome: 0, number: 3, units: 4_520 }),
      cell({ month: '2026-11', group: 'ward 3' }),
    ]
    for (const id of ['a', 'b'])
      assert.equal(await store.countOutcomes(outcomesOf('adds', { request: id, body: id, cells })), 'counted')
    const read = await store.readOutcomes('adds', 'D', ['', '2026-10'], ['bin', 'flagged'])
    assert.deepEqual(
      read.toSorted((a, b) => a.outcome - b.outcome).map((each) => ({ ...each })),
      [
        { bin: 150, flagged: 1, outcome: 0, number: 6, units: 9_040 },
        { bin: 150, flagged: 1, outcome: 1, number: 2, units: 3_006 },
      ],
    )
    const months = await store.readOutcomes('adds', 'D', ['', '9999-12'], ['month', 'group'])
    assert.equal(months.length, 3)
    assert.deepEqual(await store.readOutcomes('adds', 'other', ['', '9999-12'], ['month']), [])
  })

  test('a state is noted once, with the digest of its numbers', async () => {
    const { store } = given
    const state = {
      deployment: 'noted',
      digest: 'D',
      model: 'm@1.0.0',
      output: 'number',
      threshold: null,
      centre: -2.5,
      riskDigest: 'R',
    } as const
    await store.noteStates([state])
    await store.noteStates([{ ...state, riskDigest: 'other', model: 'm@2.0.0' }])
    assert.deepEqual(
      (await store.readStates('noted')).map((each) => ({ ...each })),
      [state],
    )
  })

  test('a repeat is recognised as long as its months are accepted, and another body with the same id is a conflict', async () => {
    const { store } = given
    const later = KEPT_UNTIL + 100 * HOUR
    assert.equal(await store.countOutcomes(outcomesOf('once')), 'counted')
    await store.tidyAudit(KEPT_UNTIL - 1)
    assert.equal(await store.countOutcomes(outcomesOf('once', { now: KEPT_UNTIL - 1 })), 'repeated')
    assert.equal(await store.countOutcomes(outcomesOf('once', { body: 'other' })), 'conflict')
    assert.equal(await countedIn(store, 'once'), 1)
    const earlier = [{ request: 'id of once', body: 'body of once' }]
    const renewed = outcomesOf('once', { request: 'by a new secret', body: 'by a new secret', earlier })
    assert.equal(await store.countOutcomes(renewed), 'repeated')
    const again = outcomesOf('once', { now: KEPT_UNTIL, keptUntil: later })
    assert.equal(await store.countOutcomes(again), 'counted')
    assert.equal(await countedIn(store, 'once'), 2)
    await store.tidyAudit(later)
    // The clock of another process may be behind: what is removed is forgotten.
    assert.equal(await store.countOutcomes(outcomesOf('once')), 'counted')
  })

  test('the same request at the same time in two processes counts once; others add up', async () => {
    const { store, place } = given
    const { store: other } = await place.open()
    const same = Array.from({ length: 8 }, (_each, at) =>
      (at % 2 === 0 ? store : other).countOutcomes(outcomesOf('same')),
    )
    assert.deepEqual((await Promise.all(same)).sort(), ['counted', ...new Array<string>(7).fill('repeated')])
    const many = Array.from({ length: 20 }, (_each, at) => {
      const cells = Array.from({ length: 60 }, (_cell, bin) => cell({ bin: (bin * 7 + at) % 60 }))
      return (at % 2 === 0 ? store : other).countOutcomes(
        outcomesOf('many', { request: `m${at}`, body: `m${at}`, cells }),
      )
    })
    await Promise.all(many)
    assert.equal(await countedIn(store, 'many'), 20 * 60)
    await other.close()
  })

  test('after a crash between commit and answer the retry is a repeat', async () => {
    const place = await given.newPlace()
    const first = await place.open()
    assert.equal(await first.store.countOutcomes(outcomesOf('crash')), 'counted')
    // Not closed: the process is gone. Another one takes over.
    const second = await place.open()
    assert.equal(await second.store.countOutcomes(outcomesOf('crash')), 'repeated')
    assert.equal(await countedIn(second.store, 'crash'), 1)
    await second.store.close()
    await first.store.close()
  })

  test('a failed transaction leaves neither counts nor the memory of its request', async () => {
    const { store } = given
    const broken = outcomesOf('broken', { cells: [cell(), cell({ month: null as unknown as string })] })
    await assert.rejects(store.countOutcomes(broken))
    assert.equal(await countedIn(store, 'broken'), 0)
    assert.equal(await store.countOutcomes(outcomesOf('broken')), 'counted')
  })

  test('the audit row of a request is stored with its counts, and not with a repeat', async () => {
    const { store } = await (await given.newPlace()).open()
    for (const expected of ['counted', 'repeated'])
      assert.equal(await store.countOutcomes(outcomesOf('audited')), expected)
    assert.equal(await store.countOutcomes(outcomesOf('audited', { body: 'other' })), 'conflict')
    assert.deepEqual(await auditedIds(store), ['counted audited'])
    await store.close()
  })

  test('where the audit row cannot be stored, nothing is counted, and the retry counts', async () => {
    const place = await given.newPlace()
    const { store } = await place.open()
    await place.tamper('ALTER TABLE audit_queue RENAME TO away')
    await assert.rejects(store.countOutcomes(outcomesOf('no row')))
    assert.equal(await countedIn(store, 'no row'), 0)
    await place.tamper('ALTER TABLE away RENAME TO audit_queue')
    assert.equal(await store.countOutcomes(outcomesOf('no row')), 'counted')
    assert.equal(await countedIn(store, 'no row'), 1)
    assert.deepEqual(await auditedIds(store), ['counted no row'])
    await store.close()
  })

  test('while a large table of counts is read, keys are looked up and outcomes are counted', async () => {
    const place = await given.newPlace()
    const { store } = await place.open()
    assert.equal(await store.countOutcomes(outcomesOf('large')), 'counted')
    await place.tamper(`INSERT INTO outcome_counts WITH RECURSIVE rows (i) AS
      (SELECT 0 UNION ALL SELECT i + 1 FROM rows WHERE i < 199999)
      SELECT 1, 'ward', CAST(i / 1000 AS text), i % 1000, 0, 0, 1, 1 FROM rows`)
    const done: string[] = []
    const note = (name: string) => (): void => void done.push(name)
    await Promise.all([
      store.readOutcomes('large', 'D', ['', '9999-12'], ['bin'], 'ward').then((cells) => {
        assert.equal(cells.length, 1_000)
        done.push('read')
      }),
      store.findKey('nobody').then(note('key')),
      store.countOutcomes(outcomesOf('large', { request: 'next' })).then(note('counted')),
    ])
    assert.equal(done.at(-1), 'read')
    await store.close()
  })

  test('patients scored are counted from the rows of the audit, by digest and month of the service', async () => {
    const { store } = await (await given.newPlace()).open()
    const row = (more: object): ReturnType<typeof makeEntry> =>
      makeEntry({
        ...{ at: NOW, requestId: 'r', keyId: null, call: 'score', status: 200, records: 12, scored: 10 },
        ...{ today: 20261031, deployment: 'counted', deploymentDigest: 'D', ...more },
      })
    await store.appendAudit([
      row({}),
      row({ today: 20261101 }),
      row({ call: 'fhir $score', scored: 3 }),
      row({ call: 'explain', scored: 4 }),
      row({ call: 'validate' }),
      row({ via: 'page' }),
      row({ ended: 'begun' }),
      row({ deploymentDigest: 'E' }),
    ])
    while (await store.countRows());
    assert.deepEqual(
      (await store.readScored('counted', 'D')).map((each) => ({ ...each })),
      [
        { month: '2026-10', scored: 13 },
        { month: '2026-11', scored: 10 },
      ],
    )
    await store.close()
  })
})
