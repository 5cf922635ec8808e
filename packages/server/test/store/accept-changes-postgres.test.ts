/** PostgreSQL: while an operator accepts counts that differ, nobody else counts in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { acceptanceEntry } from '../../src/store/audit/accept-changes.ts'
import { verifyStore } from '../../src/store/audit/verify-chain.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { TEST_SECRET } from './open-file.ts'
import { NOW, cell, countedIn, outcomesOf } from './outcome-requests.ts'
import { needsPostgres, useDatabases } from '../../../../test/support/postgres-server.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const newDatabase = useDatabases()
const GATE = 43

/** Stops whoever removes the sums over groups until the gate is opened. */
const STOP_BETWEEN = `
  CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(${GATE}); RETURN NULL; END $$;
  CREATE TRIGGER gate AFTER DELETE ON outcome_bins FOR EACH STATEMENT EXECUTE FUNCTION wait_at_gate()`
const WAITING = 'SELECT count(*)::int AS number FROM pg_locks WHERE NOT granted AND locktype = $1'

test(
  'outcomes that are counted while sums are made again wait, and are counted once',
  needsPostgres(),
  async () => {
    const url = await newDatabase()
    const store = await openPostgresStore(url, { ...UNHURRIED, secrets: [TEST_SECRET] })
    const other = await openPostgresStore(url, { ...UNHURRIED, secrets: [TEST_SECRET] })
    const somebody = new pg.Client({ connectionString: url })
    await somebody.connect()
    const untilWaiting = async (kind: string, orDone: () => boolean): Promise<void> => {
      for (;;) {
        const { rows } = await somebody.query<{ readonly number: number }>(WAITING, [kind])
        if ((rows[0]?.number ?? 0) > 0 || orDone()) return
      }
    }
    assert.equal(await store.countOutcomes(outcomesOf('ward')), 'counted')
    await somebody.query('UPDATE outcome_counts SET number = number + 1')
    const { differences } = await verifyStore(store)
    assert.ok(differences !== undefined)
    await somebody.query(STOP_BETWEEN)
    await somebody.query('SELECT pg_advisory_lock($1)', [GATE])
    const accepted = store.acceptChanges(differences, acceptanceEntry(NOW, 'accepted', differences))
    accepted.catch(() => undefined)
    await untilWaiting('advisory', () => false)
    let isCounted = false
    const more = outcomesOf('meanwhile', { deployment: 'ward', cells: [cell({ bin: 7 })] })
    const counted = other.countOutcomes(more).finally(() => {
      isCounted = true
    })
    await untilWaiting('relation', () => isCounted)
    await somebody.query('SELECT pg_advisory_unlock($1)', [GATE])
    await accepted
    assert.equal(await counted, 'counted')
    assert.equal(await countedIn(store, 'ward'), 3)
    assert.deepEqual((await verifyStore(store)).faults, [])
    await somebody.end()
    for (const each of [store, other]) await each.close()
  },
)
