/** The contract of every store: verifying the audit finds what somebody has changed without the store. */
import assert from 'node:assert/strict'
import { fingerprintOf } from '@patient-risk/runtime'
import { type Differences, acceptanceEntry } from '../../../src/store/audit/accept-changes.ts'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import { PAGE_ROWS } from '../../../src/store/audit/read-groups.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { makeKey } from '../../../src/store/keys/keys.ts'
import { PART_CELLS } from '../../../src/store/outcomes/outcome-queue.ts'
import type { Store } from '../../../src/store/store.ts'
import { NOW, cell, outcomesOf } from '../outcome-requests.ts'
import { appendOneByOne, beforeEachPage, entries, onEachStore } from './each-store.ts'

onEachStore((given, test) => {
  const REMOVALS = [
    ['alone', 'DELETE FROM audit WHERE last_seq <= 4', /between row 0 and row 5/],
    [
      'with the start moved over them',
      "DELETE FROM audit WHERE last_seq <= 4; UPDATE chain SET start_seq = 4, start_hash = 'HASH'",
      /no row says that retention removed them/,
    ],
  ] as const
  for (const [how, sql, fault] of REMOVALS) {
    test(`the oldest rows, removed ${how} while the chain is verified, are missed`, async () => {
      const fresh = await given.newPlace()
      const { store: own } = await fresh.open()
      await appendOneByOne(own, entries(9))
      const fourth = (await own.readAudit({ most: 4 })).at(-1)
      beforeEachPage(own, () => fresh.tamper(sql.replace('HASH', fourth?.hash ?? '')))
      assert.match((await verifyStore(own)).faults.join('; '), fault)
      await own.close()
    })
  }

  const FORGED = `INSERT INTO audit_queue (texts, seal) SELECT '{"at":"2999-01-01T00:00:00.000Z"}', hash FROM audit`

  test('a row that was put into the queue does not get into the chain', async () => {
    const fresh = await given.newPlace()
    const { store: own } = await fresh.open()
    await appendOneByOne(own, entries(1))
    await fresh.tamper(FORGED)
    assert.match(
      (await verifyStore(own)).faults.join(),
      /^entry \d+ of the queue was not written by the service/,
    )
    assert.equal((await own.chainEnds()).head.seq, 1)
    assert.ok((await own.latestTime()) < Date.now())
    await own.close()
  })

  const EARLIER = [
    [
      'an older state',
      "DELETE FROM audit WHERE last_seq > 1; UPDATE chain SET head_seq = 1, head_hash = 'HASH'",
    ],
    ['another store', "UPDATE chain SET store_id = 'another'"],
  ] as const
  for (const [what, sql] of EARLIER) {
    test(`${what} under a running process takes no row, and readiness says so`, async () => {
      const fresh = await given.newPlace()
      const { store: own } = await fresh.open()
      await appendOneByOne(own, entries(2))
      const [first] = await own.readAudit({ most: 1 })
      await fresh.tamper(sql.replace('HASH', first?.hash ?? ''))
      await assert.rejects(own.appendAudit(entries(1)), /not the one that this process has written to/)
      assert.match((await own.health()) ?? '', /not the one that this process has written to/)
      await own.close()
      await assert.rejects(fresh.open(), /accept the loss: patient-risk audit accept-loss/)
    })
  }

  const TAMPERINGS = [
    [
      'changed bytes',
      'UPDATE audit SET packed = (SELECT packed FROM audit WHERE last_seq = 4) WHERE last_seq = MID',
    ],
    [
      'a changed hash',
      'UPDATE audit SET hash = (SELECT hash FROM audit WHERE last_seq = 4) WHERE last_seq = MID',
    ],
    ['a changed time', 'UPDATE audit SET last_at = 7 WHERE last_seq = MID'],
    ['a changed count', 'UPDATE audit SET count = 2 WHERE last_seq = MID'],
    ['a changed dictionary', `UPDATE audit_context SET text = replace(text, 'score', 'scare')`],
    ['a removed row', 'DELETE FROM audit WHERE last_seq = MID'],
    ['the last row removed', 'DELETE FROM audit WHERE last_seq = LAST'],
    ['the first row removed', 'DELETE FROM audit WHERE last_seq = FIRST'],
    [
      'the first row removed, and the start moved over it',
      "DELETE FROM audit WHERE last_seq = FIRST; UPDATE chain SET start_seq = FIRST, start_hash = 'HASH'",
    ],
    [
      'two rows that changed places',
      'UPDATE audit SET last_seq = -1 WHERE last_seq = MID; UPDATE audit SET last_seq = MID WHERE last_seq = MID + 1; UPDATE audit SET last_seq = MID + 1 WHERE last_seq = -1',
    ],
    [
      'a row after the head',
      'INSERT INTO audit SELECT LAST + 1, count, last_at, context, packed, hash FROM audit WHERE last_seq = LAST',
    ],
    [
      'a row far after the head',
      'INSERT INTO audit SELECT 900, count, last_at, context, packed, hash FROM audit WHERE last_seq = LAST',
    ],
    [
      'a row before the first',
      'INSERT INTO audit SELECT -7, count, last_at, context, packed, hash FROM audit WHERE last_seq = LAST',
    ],
  ] as const
  for (const [what, sql] of TAMPERINGS) {
    test(`${what} is found`, async () => {
      const fresh = await given.newPlace()
      const { store: own } = await fresh.open()
      await appendOneByOne(own, entries(9))
      const [first] = await own.readAudit({ most: 1 })
      await fresh.tamper(
        sql
          .replaceAll('MID', '5')
          .replaceAll('LAST', '9')
          .replaceAll('FIRST', '1')
          .replaceAll('HASH', first?.hash ?? ''),
      )
      // Another process, which remembers nothing of what was stored before.
      const { store: reader } = await fresh.open(undefined, undefined, true)
      const { faults } = await verifyStore(reader)
      for (const each of [own, reader]) await each.close()
      assert.notDeepEqual(faults, [])
    })
  }

  /** What somebody does to counts and keys without the service, and what the verifying says of it. */
  const TABLES = [
    [
      'a changed count',
      'UPDATE outcome_counts SET number = number + 1',
      /2026-10 in outcome_counts are not those/,
    ],
    [
      'a changed sum of risks',
      'UPDATE outcome_counts SET units = units - 1',
      /in outcome_counts are not those/,
    ],
    ['a removed count', 'DELETE FROM outcome_counts WHERE kind = 0', /in outcome_counts are not those/],
    [
      'a changed sum over groups',
      'UPDATE outcome_bins SET number = number - 1',
      /in outcome_bins are not those/,
    ],
    [
      'a count that was put in everywhere',
      `INSERT INTO outcome_counts SELECT digest_id, grp, '2026-11', bin, flagged, kind, number, units FROM outcome_counts;
       INSERT INTO outcome_bins SELECT digest_id, '2026-11', bin, flagged, kind, number, units FROM outcome_bins;
       INSERT INTO outcome_totals SELECT digest_id, '2026-11', grp, kind, number, units FROM outcome_totals`,
      /2026-11 in outcome_totals are not those/,
    ],
    ['a digest that stands for another', "UPDATE outcome_digests SET digest = 'E'", /digest E\)/],
    [
      'a changed scope of a key',
      `UPDATE keys SET scopes = '["*","admin"]' WHERE name = 'plain'`,
      /key \S+ was changed/,
    ],
    [
      'changed codes of a key',
      `UPDATE keys SET codes = '{"sex":{"M":"F"}}' WHERE name = 'plain'`,
      /key \S+ was changed/,
    ],
    ['a changed end of a key', 'UPDATE keys SET expires_at = 9e12', /key \S+ was changed/],
    [
      'a secret of another key',
      "UPDATE keys SET digest = (SELECT digest FROM keys WHERE name = 'plain')",
      /key \S+ was changed/,
    ],
    [
      'a key that was put in',
      `INSERT INTO keys (id, name, digest, scopes, limits, created_at) SELECT 'forged', name, digest, scopes, limits, created_at
         FROM keys WHERE name = 'plain'`,
      /key forged was changed, put in or removed/,
    ],
    ['a removed key', "DELETE FROM keys WHERE name = 'plain'", /key \S+ was changed, put in or removed/],
    ['a revoked key that works again', 'UPDATE keys SET revoked_at = NULL', /key \S+ was changed/],
    [
      'all that is known of keys removed',
      `UPDATE chain SET carried = '{}', carried_seal = NULL`,
      /key \S+ was changed/,
    ],
    ['what is known of keys changed', `UPDATE chain SET carried = '{"keys":[]}'`, /its seal does not fit/],
  ] as const
  const filled = async (fresh: Awaited<ReturnType<typeof given.newPlace>>): Promise<Store> => {
    const { store, secrets } = await fresh.open()
    const make = async (name: string): Promise<string> =>
      (await makeKey(store, secrets, { name, scopes: ['*'], expiresAt: null }, 5)).id
    await make('plain')
    await store.revokeKey(await make('revoked'), 9)
    const cells = [cell(), cell({ outcome: 0, group: 'ward', number: 3, units: 4_520 })]
    assert.equal(await store.countOutcomes(outcomesOf('tampered', { cells })), 'counted')
    return store
  }
  /** An operator accepts what differs. */
  const accept = async (store: Store): Promise<Differences> => {
    const { differences } = await verifyStore(store)
    assert.ok(differences !== undefined)
    await store.acceptChanges(differences, acceptanceEntry(NOW, 'accepted', differences))
    return differences
  }
  /** The service goes on counting and changing keys. */
  const goOn = async (store: Store): Promise<void> => {
    const cells = [cell({ number: 2, units: 50 })]
    assert.equal(await store.countOutcomes(outcomesOf('after it', { cells })), 'counted')
    for (const { id } of await store.listKeys()) await store.revokeKey(id, NOW)
  }
  for (const [what, sql, fault] of TABLES) {
    test(`${what} is found, and nothing before that; accepted, it is no fault, and the next one is`, async () => {
      const fresh = await given.newPlace()
      const own = await filled(fresh)
      assert.deepEqual((await verifyStore(own)).faults, [])
      await fresh.tamper(sql)
      const { faults } = await verifyStore(own)
      assert.match(faults.join('; '), fault)
      for (const each of faults)
        assert.match(each, /; (revoke it .*, and )?restore a backup from before that, or see/)
      await accept(own)
      await goOn(own)
      const { faults: left, differences, accepted } = await verifyStore(own)
      assert.deepEqual(left, [])
      assert.equal(differences, undefined)
      assert.equal(accepted.length, 1)
      await fresh.tamper('UPDATE outcome_totals SET number = number + 1; UPDATE keys SET expires_at = 8e12')
      assert.match(
        (await verifyStore(own)).faults.join('; '),
        /key \S+ was changed.*in outcome_totals are not/,
      )
      await own.close()
    })
  }

  test('a key that a row says was revoked is found where all that is known of keys was put back', async () => {
    const fresh = await given.newPlace()
    const { store, secrets } = await fresh.open()
    const { id } = await makeKey(store, secrets, { name: 'x', scopes: ['*'], expiresAt: null }, 5)
    await fresh.tamper('CREATE TABLE kept AS SELECT carried, carried_seal FROM chain')
    await store.revokeKey(id, 9)
    await store.appendAudit([
      makeEntry({ at: 9, requestId: 'r', keyId: null, call: 'keys revoke', subject: id }),
      makeEntry({ at: 9, requestId: 's', keyId: null, call: 'keys create', subject: 'gone', status: 201 }),
    ])
    await fresh.tamper(`UPDATE keys SET revoked_at = NULL; UPDATE chain SET
      carried = (SELECT carried FROM kept), carried_seal = (SELECT carried_seal FROM kept)`)
    const see = 'restore a backup from before that, or see "Counts and keys that differ" in docs/audit.md'
    assert.deepEqual((await verifyStore(store)).faults, [
      `row 2 says that key gone was made, and there is no such key; ${see}`,
      `row 1 says that key ${id} was revoked, and it is not; revoke it again, and ${see}`,
    ])
    const { keys } = await accept(store)
    assert.deepEqual(keys.map(([each]) => each).sort(), ['gone', id].sort())
    assert.deepEqual((await verifyStore(store)).faults, [])
    await store.close()
  })

  test('a key that somebody has changed stays unknown when the service changes it too', async () => {
    const fresh = await given.newPlace()
    const { store, secrets } = await fresh.open()
    const { id } = await makeKey(store, secrets, { name: 'x', scopes: ['*'], expiresAt: null }, 5)
    await fresh.tamper(`UPDATE keys SET scopes = '["*","admin"]'`)
    await store.revokeKey(id, 9)
    const { faults } = await verifyStore(store)
    assert.equal(faults.length, 1)
    assert.match(
      faults.join(),
      new RegExp(`^key ${id} was changed, put in or removed without the service; revoke it`),
    )
    await store.close()
  })

  test('what was counted while an operator looked is not accepted away, and a key that changed meanwhile is refused', async () => {
    const fresh = await given.newPlace()
    const own = await filled(fresh)
    await fresh.tamper(
      `UPDATE outcome_counts SET number = number + 1; UPDATE keys SET name = 'other' WHERE name = 'plain'`,
    )
    const { differences } = await verifyStore(own)
    assert.ok(differences !== undefined)
    const row = acceptanceEntry(NOW, 'accepted', differences)
    // Of the same deployment and month, whose sums are made again from the counts.
    const wide = Array.from({ length: PART_CELLS + 1 }, (_, bin) => cell({ bin }))
    const meanwhile = outcomesOf('meanwhile', { deployment: 'tampered', cells: wide })
    assert.equal(await own.countOutcomes(meanwhile), 'counted')
    // Of what waits in SQLite, some is added to the first table only.
    for (let part = 0; part < 2; part++) await own.addQueuedOutcomes()
    await fresh.tamper(`UPDATE keys SET name = 'third' WHERE name = 'other'`)
    await assert.rejects(own.acceptChanges(differences, row), /changed while they were looked at/)
    await fresh.tamper(`UPDATE keys SET name = 'other' WHERE name = 'third'`)
    await own.acceptChanges(differences, row)
    assert.deepEqual((await verifyStore(own)).faults, [])
    while (await own.addQueuedOutcomes());
    assert.deepEqual((await verifyStore(own)).faults, [])
    const [first] = (await own.readAudit({ newestFirst: true, most: 1 })).map(({ content }) => content)
    assert.match(
      first ?? '',
      /"call":"audit accept-changes","subject":"1 keys, 1 months of outcomes, 0 months of risks"/,
    )
    await own.close()
  })

  test('retention between the reading of the totals and of the chain is no fault', async () => {
    const fresh = await given.newPlace()
    const own = await filled(fresh)
    await own.chainEnds()
    await own.appendAudit(entries(1, NOW + 1_000))
    const readTotals = own.readTotals.bind(own)
    own.readTotals = async () => {
      const totals = await readTotals()
      while ((await own.pruneAudit(NOW + 500, NOW + 2_000)) > 0);
      return totals
    }
    assert.deepEqual((await verifyStore(own)).faults, [])
    assert.equal((await own.chainEnds()).start.seq, 1)
    await own.close()
  })

  test('what is carried over is no row of the queue, although it is sealed', async () => {
    const fresh = await given.newPlace()
    const own = await filled(fresh)
    await own.chainEnds()
    await fresh.tamper('INSERT INTO audit_queue (texts, seal) SELECT carried, carried_seal FROM chain')
    assert.match(
      (await verifyStore(own)).faults.join('; '),
      /entry \d+ of the queue was not written by the service/,
    )
    await own.close()
  })

  test('what retention removes stays known: the counts still fit, and a change is found', async () => {
    const fresh = await given.newPlace()
    const own = await filled(fresh)
    await own.chainEnds()
    await own.appendAudit(entries(1, NOW + 1_000))
    while ((await own.pruneAudit(NOW + 500, NOW + 2_000)) > 0);
    assert.equal((await own.chainEnds()).start.seq, 1)
    assert.deepEqual((await verifyStore(own)).faults, [])
    await fresh.tamper('UPDATE outcome_totals SET number = number + 1')
    assert.match((await verifyStore(own)).faults.join(), /in outcome_totals are not those/)
    await own.close()
  })

  test('what retention removes stays known, also of rows beyond the first page that it reads', async () => {
    const fresh = await given.newPlace()
    const { store: own } = await fresh.open()
    // A page may have one group more.
    const before = PAGE_ROWS + 1_000
    for (let rows = 0; rows < before; rows += 1_000) {
      await own.appendAudit(entries(1_000, NOW))
      await own.chainEnds()
    }
    assert.equal(await own.countOutcomes(outcomesOf('late in a month')), 'counted')
    await own.chainEnds()
    await own.appendAudit(entries(1, NOW + 1_000))
    assert.equal(await own.pruneAudit(NOW + 500, NOW + 2_000), before + 1)
    assert.deepEqual((await verifyStore(own)).faults, [])
    await own.close()
  })

  test('what is known is sealed with the secret in use, also after a rotation', async () => {
    const fresh = await given.newPlace()
    const { store, secrets } = await fresh.open('first secret of the test')
    await makeKey(store, secrets, { name: 'x', scopes: ['*'], expiresAt: null }, 5)
    await store.close()
    const during = await fresh.open('second secret of the test', 'first secret of the test')
    const [newest, previous] = during.secrets.all.map((secret) => fingerprintOf(secret))
    assert.equal(await during.store.replaceSecret(previous ?? '', newest ?? ''), true)
    await during.store.close()
    const { store: after } = await fresh.open('second secret of the test')
    assert.deepEqual((await verifyStore(after)).faults, [])
    await after.close()
  })
})
