/** Large bodies of outcomes at the same time: whatever is answered, the audit and the counts say the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factsOf } from '../../../src/store/audit/audit-facts.ts'
import { allRows } from '../../../src/store/audit/verify-chain.ts'
import { digestOf, good, outcomesIn, readmission, send, start } from './outcomes-set-up.ts'

const BODIES = 20
const OUTCOMES_OF_A_BODY = 9_990
const AT_A_TIME = 4
/** Many months, so that nearly every outcome is a row of its own in the store: the most work that a body can cause. */
const MONTHS = Array.from({ length: 24 }, (_each, place) => {
  const month = String((place % 12) + 1).padStart(2, '0')
  return `${2024 + Math.floor(place / 12)}-${month}`
}).slice(2)
const COUNTED = /^(\d+) of \d+ counted$/

test('as many outcomes are stored as the audit says were counted, and each body once', async (context) => {
  const served = await start([readmission])
  const digest = await digestOf(served)
  const bodyOf = (body: number): unknown =>
    Array.from({ length: OUTCOMES_OF_A_BODY }, (_each, idx) => {
      const risk = (((idx * 7 + body * 13) % 9_999) + 1) / 10_000
      return good(digest, { idx, risk, outcome: idx % 5 === 0, scored: MONTHS[idx % MONTHS.length] })
    })
  const statuses = new Map<number, number>()
  const left = Array.from({ length: BODIES }, (_each, body) => body)
  const sendAll = async (): Promise<void> => {
    for (let body = left.shift(); body !== undefined; body = left.shift()) {
      const { status } = await send(served, bodyOf(body), { 'idempotency-key': `body-${body}` })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // As a caller does that got no result.
      if (status !== 200) left.push(body)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, sendAll))
  context.diagnostic(`answers by status: ${JSON.stringify([...statuses])}`)

  let audited = 0
  for await (const row of allRows(served.store)) {
    const { subject = '' } = factsOf(row)
    audited += Number(COUNTED.exec(subject)?.[1] ?? 0)
  }
  assert.equal(await outcomesIn(served), BODIES * OUTCOMES_OF_A_BODY)
  assert.equal(audited, BODIES * OUTCOMES_OF_A_BODY)
})
