/** Receipts: which results have one, and that an answer has an outcome once, whoever sends it how often. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { fingerprintOf, receiptKeyOf } from '@patient-risk/runtime'
import { makeKey, openStore } from '@patient-risk/server/store'
import { contract } from '../../../../../test/support/clauses.ts'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { serve } from '../../../../../test/support/serve.ts'
import { UNHURRIED } from '../../../../../test/support/unhurried.ts'
import { receiptSealer } from '../../../src/http/receipts/receipt.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import {
  type Given,
  OUTCOMES,
  digestOf,
  flag,
  outcomesIn,
  readmission,
  send,
  start,
} from './outcomes-set-up.ts'

const SCORE = '/risk/api/do/v0'
const RECORD = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const RECORD_1 = { ...RECORD, idx: 1 }
const RECORDS = [RECORD_1, { ...RECORD, idx: 2, age: 999 }, { ...RECORD, idx: 3, age: 40 }]
const USED = 'receipt: duplicate'
const WRONG = 'receipt: not a permitted value'
const NO_SUCH = 'was: not a permitted value'
const LATER = '2026-08-15T12:00:00Z'

interface Scored {
  readonly idx: number
  readonly risk: number | string | null
  readonly receipt?: string
}
interface Counted {
  readonly counted: boolean
  readonly error_message: { readonly Field: string; readonly ExtendError: string }[] | null
}

const score = (served: Given, body: unknown, base = '', more: object = {}): Promise<Answer> =>
  served.post(body, { path: `${base}${SCORE}?receipts=true`, ...more })
const reasonsOf = (answer: Answer): readonly string[] =>
  (answer.json() as Counted[]).map(({ error_message: found }) =>
    (found ?? []).map(({ Field, ExtendError }) => `${Field}: ${ExtendError.replace(/.*\(|\)$/g, '')}`).join(),
  )
const kindsIn = async (served: Given): Promise<readonly number[]> => {
  const digest = (await digestOf(served)).slice(9, -1)
  const cells = await served.store.readOutcomes('readmission', digest, ['', '9999-12'], [])
  return [0, 1, 2, 3].map((kind) => cells.find(({ outcome }) => outcome === kind)?.number ?? 0)
}
let calls = 0
const sendNew = (served: Given, body: unknown, path = OUTCOMES): Promise<Answer> =>
  send(served, body, { 'idempotency-key': `call ${++calls}` }, path)
/** So many receipts, each of one patient; outcomes may come. */
async function receiptsOf(served: Given, count: number): Promise<readonly string[]> {
  const answer = await score(
    served,
    Array.from({ length: count }, (_each, idx) => ({ ...RECORD, idx })),
  )
  served.clock.set(LATER)
  return (answer.json() as Scored[]).map(({ receipt = '' }) => receipt)
}

contract(
  '12.receipts',
  'results with a risk have a receipt as their last key; without the parameter nothing changes',
  async () => {
    const served = await start()
    for (const base of ['', '/flag']) {
      const plain = await served.post(RECORDS, { path: `${base}${SCORE}` })
      const answer = await score(served, RECORDS, base)
      const results = answer.json() as Scored[]
      assert.deepEqual(
        results.map((each) => Object.keys(each).join()),
        ['idx,risk,error_message,receipt', 'idx,risk,error_message', 'idx,risk,error_message,receipt'],
      )
      assert.equal(answer.text.replace(/,"receipt":"[^"]*"/g, ''), plain.text)
      assert.equal(new Set(results.flatMap(({ receipt }) => receipt ?? [])).size, 2)
      // Nothing of the answer can be read in it.
      assert.match(results[0]?.receipt ?? '', /^r1\.[\w-]{75}$/)
    }
    const lines = `${RECORDS.map((each) => JSON.stringify(each)).join('\n')}\n{"idx":1}\n`
    const headers = { 'content-type': 'application/x-ndjson' }
    const streamed = await score(served, lines, '', { headers })
    const each = streamed.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Scored)
    assert.deepEqual(
      each.map(({ receipt }) => receipt !== undefined),
      [true, false, true, false],
    )
  },
)

test('more results than are sealed in one go, and than are reserved, have numbers of their own', async () => {
  const served = await start([readmission])
  const records = Array.from({ length: 1_100 }, (_each, idx) => ({ ...RECORD, idx, note: '}{"\\' }))
  const receipts: string[] = []
  for (const part of [records, records.slice(0, 3), records])
    receipts.push(...((await score(served, part)).json() as Scored[]).map(({ receipt = '' }) => receipt))
  served.clock.set(LATER)
  const body = receipts.map((receipt, idx) => ({ idx, receipt, outcome: idx % 5 === 0 }))
  const answer = await sendNew(served, body)
  assert.equal((answer.json() as Counted[]).filter(({ counted }) => counted).length, receipts.length)
  assert.deepEqual(await kindsIn(served), [1_762, 441, 0, 0])
  assert.deepEqual((await verifyStore(served.store)).faults, [])
})

contract('12.receipts', 'an outcome by receipt is counted once; a second one needs was', async () => {
  const served = await start([readmission])
  const [first = '', second = '', third = ''] = await receiptsOf(served, 3)
  const element = (receipt: string, outcome: unknown, was?: unknown, idx = 1): object => ({
    ...{ idx, receipt, outcome },
    ...(was === undefined ? {} : { was }),
  })
  const steps: readonly (readonly [string, readonly object[], readonly string[], readonly number[]])[] = [
    ['the first', [element(first, 'none')], [''], [1, 0, 0, 0]],
    ['again', [element(first, 'none')], [USED], [1, 0, 0, 0]],
    ['another kind', [element(first, 'event')], [USED], [1, 0, 0, 0]],
    ['corrected', [element(first, 'event', 'none')], [''], [0, 1, 0, 0]],
    ['corrected from what is not', [element(first, 'unknown', 'none')], [NO_SUCH], [0, 1, 0, 0]],
    ['corrected before the first', [element(second, 'none', 'event')], [NO_SUCH], [0, 1, 0, 0]],
    [
      'in one body',
      [element(second, 'none'), element(second, 'none', undefined, 2), element(second, 'event', 'none', 3)],
      ['', USED, ''],
      [0, 2, 0, 0],
    ],
    [
      'one of several',
      [element(first, 'event'), element(third, 'unknown', undefined, 2)],
      [USED, ''],
      [0, 2, 0, 1],
    ],
  ]
  for (const [name, body, expected, kinds] of steps) {
    const headers = { 'idempotency-key': name }
    const answer = await send(served, body, headers)
    assert.deepEqual(reasonsOf(answer), expected, name)
    assert.deepEqual(await kindsIn(served), kinds, name)
    // A retry is answered alike, and counts nothing.
    assert.deepEqual((await send(served, body, headers)).json(), answer.json(), name)
    assert.deepEqual(await kindsIn(served), kinds, name)
  }
  assert.deepEqual((await verifyStore(served.store)).faults, [])
})

test('the same receipts from many callers at once are counted once', async () => {
  const served = await start([readmission])
  const receipts = await receiptsOf(served, 12)
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_each, caller) => {
      const own = receipts.slice(caller, caller + 7)
      return sendNew(
        served,
        own.map((receipt, idx) => ({ idx, receipt, outcome: 'event' })),
      )
    }),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array<number>(6).fill(200),
  )
  const counted = answers.flatMap((answer) => (answer.json() as Counted[]).map((each) => each.counted))
  assert.equal(counted.filter(Boolean).length, 12)
  assert.equal(await outcomesIn(served), 12)
})

test('what is given beside a receipt must be the same', async () => {
  const served = await start([readmission, flag])
  const digest = await digestOf(served)
  const [{ risk, receipt = '' }] = (await score(served, [RECORDS[0]])).json() as [Scored]
  const [yesNo] = (await score(served, [RECORDS[0]], '/flag')).json() as [Scored]
  served.clock.set(LATER)
  const rows: readonly (readonly [object, string])[] = [
    [{ risk: 0.5 }, 'risk: not a permitted value'],
    [{ risk: '0.5' }, 'risk: not a number'],
    [{ digest: await digestOf(served, '/flag') }, 'digest: not a permitted value'],
    [{ scored: '2026-02' }, 'scored: not a permitted value'],
    [{ shadowRisk: 0.5 }, 'shadowRisk: not a permitted value'],
    [{ receipt: `${receipt.slice(0, -8)}AAAAAAAA` }, WRONG],
    [{ receipt: '' }, WRONG],
    [{ receipt: 7 }, WRONG],
    [{ receipt: {} }, WRONG],
    [{ receipt: 'r1.' }, WRONG],
    [{ receipt: yesNo.receipt }, WRONG],
    [
      { receipt: null },
      'risk: ValueMissing for value risk,digest: ValueMissing for value digest,scored: ValueMissing for value scored',
    ],
    [{ receipt: yesNo.receipt, digest }, WRONG],
    [{ risk, digest, scored: '2026-03' }, ''],
  ]
  const body = rows.map(([more], idx) => ({ idx, receipt, outcome: 'none', ...more }))
  assert.deepEqual(
    reasonsOf(await sendNew(served, body)),
    rows.map(([, expected]) => expected),
  )
  const ofFlag = [
    { idx: 1, receipt: yesNo.receipt, outcome: 'none', risk: yesNo.risk === 'Yes' ? 'No' : 'Yes' },
  ]
  const path = `/flag${OUTCOMES}`
  assert.deepEqual(reasonsOf(await sendNew(served, ofFlag, path)), ['risk: not a permitted value'])
  assert.deepEqual(reasonsOf(await sendNew(served, [{ ...ofFlag[0], risk: yesNo.risk }], path)), [''])
  assert.equal(await outcomesIn(served, 'flag', '/flag'), 1)
})

test('a receipt counts in the cell of its answer, whatever month it is now, as long as outcomes are accepted', async () => {
  const served = await start([readmission])
  const [{ risk, receipt }] = (await score(served, [RECORDS[0]])).json() as [
    { risk: number; receipt: string },
  ]
  const element = { idx: 1, receipt, outcome: 'none', group: 'ward 3' }
  // Scored on 2026-03-01: the horizon ends on the 31st.
  served.clock.set('2026-03-30T12:00:00Z')
  assert.deepEqual(reasonsOf(await sendNew(served, [element])), ['outcome: before the end of the horizon'])
  served.clock.set('2026-03-31T12:00:00Z')
  assert.deepEqual(reasonsOf(await sendNew(served, [element])), [''])
  const digest = (await digestOf(served)).slice(9, -1)
  const columns = ['month', 'group', 'bin'] as const
  const [cell] = await served.store.readOutcomes('readmission', digest, ['', '9999-12'], columns)
  assert.deepEqual(
    { ...cell },
    {
      ...{ month: '2026-03', group: 'ward 3', bin: Math.floor(risk * 1_000), outcome: 0 },
      ...{ number: 1, units: Math.round(risk * 10_000) },
    },
  )
  served.clock.set('2028-06-30T12:00:00Z')
  const [last = ''] = reasonsOf(await sendNew(served, [{ ...element, was: 'none', outcome: 'event' }]))
  assert.equal(last, 'receipt: out of range')
})

test('receipts of another service, or of a month to come, are not permitted', async () => {
  const served = await start([readmission])
  const digest = (await digestOf(served)).slice(9, -1)
  const secret = served.secrets.inUse
  const sealed = (key: Uint8Array, name: string, of: string, month: string): string =>
    receiptSealer(receiptKeyOf(key, name), { digest: of, month, shadow: undefined })(7, 1_503, 0)
  const other = Buffer.alloc(32, 7)
  const rows: readonly (readonly [string, string])[] = [
    [sealed(other, 'readmission', digest, '2026-03'), WRONG],
    [sealed(secret, 'flag', digest, '2026-03'), WRONG],
    [sealed(secret, 'readmission', Buffer.alloc(32, 9).toString('base64'), '2026-03'), WRONG],
    [sealed(secret, 'readmission', digest, '2026-09'), 'receipt: date in the future'],
    [sealed(secret, 'readmission', digest, '2024-01'), 'receipt: out of range'],
    [sealed(secret, 'readmission', digest, '2026-03'), ''],
  ]
  served.clock.set(LATER)
  const body = rows.map(([receipt], idx) => ({ idx, receipt, outcome: 'none' }))
  assert.deepEqual(
    reasonsOf(await sendNew(served, body)),
    rows.map(([, expected]) => expected),
  )
})

test('a receipt joins the risk of the shadow to the outcome, also of lines', async () => {
  const shadow = { model: 'lace', share: 0.0001 }
  const served = await start([{ ...readmission, shadow }])
  const lace = await start([{ ...readmission, model: 'lace' }])
  const record = { ...RECORDS[0], laceCharlson_total: 3, edVisits6Months: 2, acuteAdmission: true }
  const [expected] = (await lace.post([record])).json() as [{ risk: number }]
  const [ofBody] = (await score(served, [record])).json() as [Scored]
  const headers = { 'content-type': 'application/x-ndjson' }
  const line = await score(served, `${JSON.stringify(record)}\n`, '', { headers })
  const ofLine = JSON.parse(line.text) as Scored
  served.clock.set(LATER)
  const body = [ofBody, ofLine].map(({ receipt }, idx) => ({ idx, receipt, outcome: 'event' }))
  assert.deepEqual(reasonsOf(await sendNew(served, body)), ['', ''])
  const digest = (await digestOf(served)).slice(9, -1)
  const name = `shadow ${findModel(served.catalog, 'lace')?.digest ?? ''}`
  const { risks, flags } = await served.store.readShadow('readmission', digest, name)
  const ofShadow = risks.filter(({ isShadow }) => isShadow)
  assert.deepEqual(
    ofShadow.map(({ number, units }) => [number, units]),
    [[2, 2 * Math.round(expected.risk * 10_000)]],
  )
  assert.equal(flags[0]?.number, 2)
})

test('a receipt from before the key secret was replaced is taken, and counted once', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-secrets-'))
  const first = 'a first secret of receipts'
  const second = 'a second secret of receipts'
  const before = await openStore(dataDir, first, undefined, UNHURRIED)
  await before.store.close()
  const opened = await openStore(dataDir, second, undefined, { ...UNHURRIED, previousSecret: first })
  const { store, secrets } = opened
  const served = await serve({ deployments: [readmission], service: { store, secrets } })
  t.after(async () => {
    await served.close()
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const made = await makeKey(store, secrets, { name: 'a', scopes: ['*', 'outcomes'], expiresAt: null }, 0)
  const headers = { authorization: `Bearer ${made.key}` }
  const receiptNow = async (): Promise<string> => {
    const answer = await served.post([RECORD_1], { path: `${SCORE}?receipts=true`, headers })
    return (answer.json() as Scored[])[0]?.receipt ?? ''
  }
  const early = await receiptNow()
  await store.replaceSecret(secrets.fingerprint, fingerprintOf(secrets.all[0] as Uint8Array))
  await secrets.refresh(store)
  const late = await receiptNow()
  served.clock.set(LATER)
  const count = async (name: string): Promise<readonly boolean[]> => {
    const body = [early, late].map((receipt, idx) => ({ idx, receipt, outcome: 'event' }))
    const more = { ...headers, 'idempotency-key': name }
    return ((await served.post(body, { path: OUTCOMES, headers: more })).json() as Counted[]).map(
      ({ counted }) => counted,
    )
  }
  assert.deepEqual(await count('first'), [true, true])
  assert.deepEqual(await count('second'), [false, false])
})

test('calls that have no receipts say so', async () => {
  const plain: DeploymentSettings = {
    name: 'plain',
    basePath: '/plain',
    model: 'readmission30',
    output: 'number',
  }
  const served = await start([readmission, plain])
  const rows: readonly (readonly [string, number, Record<string, string>?])[] = [
    [`${SCORE}?receipts=true`, 200],
    [`${SCORE}?receipts=false`, 200],
    [`${SCORE}?receipts=yes`, 400],
    [`${SCORE}?receipts=true&receipts=true`, 400],
    [`${SCORE}?receipts=true`, 400, { 'risk-outcomes': 'no' }],
    [`${SCORE}/explain?receipts=true`, 400],
    [`${SCORE}/validate?receipts=true`, 400],
    [`/plain${SCORE}?receipts=true`, 400],
  ]
  for (const [path, status, headers = {}] of rows) {
    const answer = await served.post([RECORDS[0]], { path, headers })
    assert.equal(answer.status, status, path)
    assert.equal(answer.text.includes('"receipt"'), path === `${SCORE}?receipts=true` && status === 200, path)
  }
})

test('no receipt is in the log or in the audit, whose digest is that of the answer without receipts', async () => {
  const served = await start([readmission])
  const [receipt = ''] = await receiptsOf(served, 1)
  await served.post([{ ...RECORD, idx: 0 }])
  await sendNew(served, [{ idx: 0, receipt, outcome: 'event' }])
  const rows = await served.store.readAudit({ most: 99 })
  const texts = rows.map(({ content }) => content)
  assert.ok(!`${served.logText()}${texts.join()}`.includes(receipt.slice(3, 20)))
  const digests = texts.flatMap((text) =>
    text.includes('"call":"score"') ? /"answerDigest":"([^"]+)/.exec(text)?.[1] : [],
  )
  assert.equal(digests.length, 2)
  assert.equal(digests[0], digests[1])
})
