/** A forged row after the head: no answer without a row, not ready, a reason in the log, and well again once it is gone. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { serve } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'

const RECORD = [{ idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }]

test('a forged row after the head makes the service refuse and say that it is not ready', async (context) => {
  const served = await serve()
  context.after(() => served.close())
  assert.equal((await served.post(RECORD)).status, 200)
  // Reading gives the row its place in the chain.
  await served.store.chainEnds()
  assert.equal((await served.get('/health/ready')).status, 200)
  const database = new DatabaseSync(join(served.dataDir, 'patient-risk.sqlite'), { timeout: 5_000 })
  database.exec(
    'INSERT INTO audit SELECT last_seq + 9, count, last_at, context, packed, hash FROM audit LIMIT 1',
  )
  // Rows are chained some milliseconds after their answer; from then on no answer is given.
  const refused = await until(async () => {
    const answer = await served.post(RECORD)
    return answer.status === 200 ? undefined : answer
  })
  assert.deepEqual([refused.status, (refused.json() as { code: string }).code], [503, 'AUDIT_UNAVAILABLE'])
  assert.equal((await served.get('/health/ready')).status, 503)
  assert.match(served.logText(), /"event":"audit-not-writable".*recorded head/)
  database.exec('DELETE FROM audit WHERE last_seq = (SELECT max(last_seq) FROM audit)')
  database.close()
  assert.equal((await served.get('/health/ready')).status, 200)
  assert.equal((await served.post(RECORD)).status, 200)
  assert.deepEqual((await verifyStore(served.store)).faults, [])
})
