/** The contract of every store: verifying the audit finds what somebody has changed without the store. */
import assert from 'node:assert/strict'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
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
})
