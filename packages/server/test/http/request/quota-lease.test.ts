/** When the key of a call is checked again before its records are counted: from 250 ms on, and for every piece of a stream. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import type { Lease } from '../../../src/http/request/authenticate.ts'
import { Quota } from '../../../src/http/request/quota.ts'
import type { RequestContext } from '../../../src/http/request/request-context.ts'
import type { Limiter } from '../../../src/store/quota.ts'

const CASES = [
  { durationMs: 0, isStreaming: false, isChecked: false },
  { durationMs: 249.999, isStreaming: false, isChecked: false },
  { durationMs: 250, isStreaming: false, isChecked: true },
  { durationMs: 250.001, isStreaming: false, isChecked: true },
  { durationMs: 0, isStreaming: true, isChecked: true },
]

for (const { durationMs, isStreaming, isChecked } of CASES) {
  const call = isStreaming ? 'a stream' : 'a call'
  const result = isChecked ? 'is refused, and nothing is counted' : 'is not checked again'
  test(`after ${durationMs} ms the ended key of ${call} ${result}`, async () => {
    let counted = 0
    const limiter = {
      takeAtHand: (_counter: string, amount: number) => {
        counted += amount
        return { isGranted: true, remaining: 90, resetsInMs: 1_000 }
      },
    } as unknown as Limiter
    // No key is found any more.
    const lease = {
      keyCache: { verify: () => Promise.resolve(undefined) },
      clock: { now: () => 0 },
    } as unknown as Lease
    const context = {
      durationMs,
      isStreaming,
      key: { id: 'a', limits: { recordsPerMinute: 100, requestsPerMinute: null } },
      deployment: { name: 'readmission', limits: {} },
      config: {},
      raw: { headers: {} },
      limitPolicy: '',
      limitLeft: '',
    } as unknown as RequestContext
    const tally = { records: 10, scored: 10, problems: new Map() }
    const counting = new Quota(limiter, lease).takeRecords(context, {} as FastifyReply, tally)
    if (isChecked) await assert.rejects(Promise.resolve(counting), { code: 'KEY_INVALID' })
    else await counting
    assert.equal(counted, isChecked ? 0 : 10)
  })
}
