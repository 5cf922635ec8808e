/** Rows: every answer below a deployment or `/admin` leaves one, whatever was asked and however it was refused. */
import { openStore } from '../../../src/store/open.ts'
import { type Call, exchange } from '../../../../../test/support/exchange.ts'
import { SCORE } from '../../../../../test/support/serve.ts'
import { auditTrial } from '../audit-trial.ts'
import type { Part, Trial, Verdict } from '../part.ts'
import { recordedIds } from '../store-process.ts'

const ROUNDS = 50
const RECORD = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'

/** Calls, and the status that each gets. A call without headers of its own shows the key. */
const CALLS: readonly (readonly [status: number, call: Call])[] = [
  [200, { method: 'POST', path: SCORE, body: RECORD }],
  [400, { method: 'POST', path: SCORE, body: '[{' }],
  [401, { method: 'POST', path: SCORE, body: RECORD, headers: {} }],
  [401, { method: 'POST', path: SCORE, body: RECORD, headers: { authorization: 'Bearer wrong' } }],
  [404, { path: `${SCORE}/nothing` }],
  [405, { method: 'PUT', path: SCORE, body: RECORD }],
  [400, { path: `${SCORE}/%zz` }],
  [500, { method: 'POST', path: SCORE, body: '[{"idx":1,"name FORCE-SYNC":1}]' }],
  [404, { path: '/admin/nothing' }],
  [405, { method: 'DELETE', path: '/admin/keys' }],
  [400, { path: '/admin/%zz' }],
  [404, { method: 'POST', path: `/admin/keys/${'a'.repeat(101)}/revoke`, body: '{}' }],
  [401, { path: '/admin/keys', headers: {} }],
]

export const part: Part = {
  name: 'audit-rows',
  promise: `${ROUNDS} × ${CALLS.length} kinds of calls below a deployment and /admin, bugs too: one row for each answer`,
  defect: 'refusals leave no row',
  shortScale: 0.04,
  run,
}

function run({ scale, planted }: Trial): Promise<Verdict> {
  const rounds = Math.ceil(ROUNDS * scale)
  const plant = planted ? 'unrecorded-refusals' : 'forced-errors'
  return auditTrial({ plant, unknownFields: 'report' }, async ({ service, key, dataDir, faults }) => {
    const own = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answered = new Map<string, number>()
    for (let round = 0; round < rounds; round++) {
      for (const [expected, call] of CALLS) {
        const { status, headers } = await exchange(service.origin, { headers: own, ...call })
        if (status !== expected)
          faults.push(`${call.method ?? 'GET'} ${call.path} gave ${status}, not ${expected}`)
        answered.set(String(headers['x-request-id']), status)
      }
    }
    const { store } = await openStore(dataDir, undefined)
    const recorded = await recordedIds(store)
    await store.close()
    for (const [id, status] of answered) {
      if (!recorded.has(id)) faults.push(`an answer with status ${status} has no row`)
    }
    return { answers: answered.size }
  })
}
