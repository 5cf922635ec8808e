/** Answers that get receipts take turns: however many there are, others are answered after a few of their results. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from '../../../src/http/connection/turns.ts'
import { addReceipts } from '../../../src/http/receipts/add-receipts.ts'

const ANSWERS = 20
const RESULTS = 1_000
/** Of one pass of the event loop: a step that begins it, and the one that used up the pass before. */
const MOST_IN_A_PASS = 2 * 64

test('twenty large answers at a time seal no more results in a pass of the event loop than one of them', async () => {
  const turns = new Turns()
  let inPass = 0
  let most = 0
  let isOver = false
  const look = (): void => {
    most = Math.max(most, inPass)
    inPass = 0
    if (!isOver) setImmediate(look)
  }
  const answer = Buffer.from(`[${Array.from({ length: RESULTS }, () => '{"risk":1}').join(',')}]`)
  const receiptOf = (position: number): string => {
    inPass++
    return `r${String(position).padStart(3, '0')}`
  }
  const all = Array.from({ length: ANSWERS }, () =>
    addReceipts(answer, new Int16Array(RESULTS), receiptOf, turns),
  )
  // The first step of each answer is its own.
  inPass = 0
  setImmediate(look)
  const [first] = await Promise.all(all)
  isOver = true
  assert.ok(most <= MOST_IN_A_PASS, `${most} results in a pass`)
  assert.match(Buffer.from(first ?? []).toString(), new RegExp(`"receipt":"r${RESULTS - 1}"}\\]$`))
})
