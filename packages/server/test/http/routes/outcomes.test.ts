/** Outcomes over HTTP: each element judged, counts kept and nothing else, retries, and keys. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { StoreError } from '@patient-risk/runtime'
import { factsOf } from '../../../src/store/audit/audit-facts.ts'
import { contract } from '../../../../../test/support/clauses.ts'
import { atLimit } from '../../../../../test/support/limits.ts'
import { serve, testDispatcher } from '../../../../../test/support/serve.ts'
import {
  DAY,
  type Given,
  OUTCOMES,
  PERFORMANCE,
  digestOf,
  good,
  outcomesIn,
  readmission,
  scoreIn,
  send,
  start,
} from './outcomes-set-up.ts'

contract(
  '12.elements',
  'each element is judged with all its problems; the good ones are counted',
  async () => {
    const served = await start()
    const digest = await digestOf(served)
    const reasons = (field: string, reason: string): string => `${field}: ValueError (${reason})`
    const cases: readonly (readonly [unknown, readonly string[]])[] = [
      [good(digest), []],
      [good(digest, { group: 'ward 3', scored: '2024-02' }), []],
      [good(digest, { group: null, extra: 1 }), []],
      [7, [reasons('record', 'not an object')]],
      [{}, ['idx', 'risk', 'outcome', 'digest', 'scored'].map((name) => `${name}: ValueMissing`)],
      [good(digest, { idx: 1.5 }), [reasons('idx', 'not an integer')]],
      [good(digest, { risk: '0.2294' }), [reasons('risk', 'not a number')]],
      [good(digest, { risk: 0 }), [reasons('risk', 'out of range')]],
      [good(digest, { risk: 1 }), [reasons('risk', 'out of range')]],
      [good(digest, { risk: 0.22941 }), [reasons('risk', 'out of range')]],
      [good(digest, { risk: null }), ['risk: ValueMissing']],
      [good(digest, { outcome: 1 }), [reasons('outcome', 'not a permitted value')]],
      [good(digest, { digest: 'sha-256=:unknown:' }), [reasons('digest', 'not a permitted value')]],
      [good(digest, { digest: digest.replace(/.=:$/, '%=:') }), [reasons('digest', 'not a permitted value')]],
      [good(await digestOf(served, '/flag')), [reasons('digest', 'not a permitted value')]],
      [good(digest, { scored: '2026-13' }), [reasons('scored', 'not a valid date')]],
      [good(digest, { scored: 'not a valid date' }), [reasons('scored', 'not a valid date')]],
      [good(digest, { scored: '2026-04' }), [reasons('scored', 'date in the future')]],
      [good(digest, { scored: '2024-01' }), [reasons('scored', 'out of range')]],
      [good(digest, { group: 'ward 5' }), [reasons('group', 'not a permitted value')]],
      [good(digest, { Group: 'ward 3' }), [reasons('Group', 'unknown field')]],
      [
        good(digest, { risk: 2, outcome: 'yes', scored: 3, group: 4 }),
        [
          reasons('risk', 'out of range'),
          reasons('outcome', 'not a permitted value'),
          reasons('scored', 'not a valid date'),
          reasons('group', 'not a permitted value'),
        ],
      ],
    ]
    const body = cases.map(([element], idx) =>
      typeof element === 'object' && 'idx' in (element as object) && (element as { idx: unknown }).idx === 1
        ? { ...element, idx }
        : element,
    )
    const answer = await send(served, body)
    assert.equal(answer.status, 200)
    const results = answer.json() as {
      counted: boolean
      error_message: { Field: string; ExtendError: string }[] | null
    }[]
    results.forEach(({ counted, error_message: problems }, at) => {
      const [, expected] = cases[at] as (typeof cases)[number]
      const found = (problems ?? []).map(({ Field, ExtendError }) => {
        const reason = / \((.*)\)$/.exec(ExtendError)?.[1]
        return `${Field}: ${ExtendError.split(' ', 1)[0]}${reason === undefined ? '' : ` (${reason})`}`
      })
      assert.deepEqual(found, expected, `element ${at}`)
      assert.equal(counted, expected.length === 0)
    })
    assert.equal(await outcomesIn(served), 3)
  },
)

test('repeated idx and keys that are given twice are refused', async () => {
  const served = await start()
  const digest = await digestOf(served)
  const element = JSON.stringify(good(digest, { idx: 5 }))
  const twice = element.replace('"risk":0.2294', '"risk":0.2294,"risk":0.3')
  const answer = await send(served, `[${element},${element},${twice.replace('"idx":5', '"idx":6')}]`)
  assert.deepEqual(
    (answer.json() as { idx: number; error_message: { ExtendError: string }[] }[]).map(
      ({ idx, error_message: [first] }) => [idx, first?.ExtendError],
    ),
    [
      [5, 'ValueError for value Idx in idx 5 (duplicate)'],
      [5, 'ValueError for value Idx in idx 5 (duplicate)'],
      [6, 'ValueError for value Risk in idx 6 (given twice)'],
    ],
  )
  assert.equal(await outcomesIn(served), 0)
  assert.deepEqual((await send(served, [])).json(), [])
  assert.equal((await send(served, { idx: 1 })).status, 400)
})

test('answers of Yes and No come back as such, and give the two-by-two table only', async () => {
  const served = await start()
  const digest = await digestOf(served, '/flag')
  const body = Array.from({ length: 60 }, (_each, idx) =>
    good(digest, { idx, risk: idx % 3 === 0 ? 'Yes' : 'No', outcome: idx % 4 === 0, scored: '2026-01' }),
  )
  const path = `/flag${OUTCOMES}`
  const risks = body.map(({ risk }) => (risk === 'Yes' ? 0.3 : 0.05))
  await scoreIn(served, '2026-01', digest, risks, { name: 'flag', yesFrom: 0.15 })
  const answer = await send(served, [...body, good(digest, { idx: 99, risk: 0.2 })], {}, path)
  const results = answer.json() as { error_message: { ExtendError: string }[] | null }[]
  const problems = results.flatMap(({ error_message: found }) => found ?? [])
  assert.deepEqual(
    problems.map(({ ExtendError }) => ExtendError),
    ['ValueError for value Risk in idx 99 (not a permitted value)'],
  )
  const { whole } = (await served.get(`/flag${PERFORMANCE}`, served.admin)).json() as {
    whole: { risks: null; atThreshold: Record<string, unknown> }
  }
  assert.equal(whole.risks, null)
  const { threshold, found, missed, falseAlarms, spared } = whole.atThreshold
  assert.deepEqual([threshold, found, missed, falseAlarms, spared], [0.15, 5, 10, 15, 30])
})

contract(
  '12.repeat',
  'a repeat is answered again and not counted; another body with the same key is refused; If-Match is ignored',
  async () => {
    const served = await start()
    const digest = await digestOf(served)
    const headers = { 'idempotency-key': 'monthly-2026-02', 'if-match': '"another state"' }
    const first = await send(served, [good(digest)], headers)
    const again = await send(served, [good(digest)], headers)
    assert.deepEqual(again.json(), first.json())
    assert.equal(await outcomesIn(served), 1)
    const other = await send(served, [good(digest, { outcome: false })], headers)
    assert.equal(other.status, 409)
    assert.equal((other.json() as { code: string }).code, 'IDEMPOTENCY_KEY_REUSED')
    // Another caller, or another deployment, has keys of its own.
    const colleague = await served.makeKey({ scopes: ['readmission', 'outcomes'] })
    const sent = await send(served, [good(digest)], { ...headers, authorization: `Bearer ${colleague}` })
    assert.equal(sent.status, 200)
    assert.equal(await outcomesIn(served), 2)
    // Without a key the body itself tells.
    for (const expected of [3, 3]) {
      await send(served, [good(digest, { idx: 8 })])
      assert.equal(await outcomesIn(served), expected)
    }
    // As long as outcomes of that month are accepted.
    served.clock.advance(740 * DAY)
    assert.deepEqual((await send(served, [good(digest)], headers)).json(), first.json())
    assert.equal((await send(served, [good(digest, { outcome: false })], headers)).status, 409)
    assert.equal(await outcomesIn(served), 3)
    for (const bad of ['', ' ', 'a\u00e9', 'x'.repeat(256)])
      assert.equal((await send(served, [good(digest)], { 'idempotency-key': bad })).status, 400)
  },
)

test('a request with several months is remembered as long as the newest of them is accepted', async () => {
  const served = await start()
  const digest = await digestOf(served)
  const headers = { 'idempotency-key': 'two months' }
  const body = [good(digest), good(digest, { idx: 2, scored: '2024-02' })]
  assert.equal((await send(served, body, headers)).status, 200)
  assert.equal(await outcomesIn(served), 2)
  // Outcomes of 2024-02 are no longer accepted.
  served.clock.advance(100 * DAY)
  assert.equal((await send(served, [good(digest)], headers)).status, 409)
  assert.equal(await outcomesIn(served), 2)
})

test('a retry with the key that replaced another one, or one before that, is a repeat', async () => {
  const served = await start()
  const digest = await digestOf(served)
  const headers = { 'idempotency-key': 'over rotations' }
  let key = await served.makeKey({ scopes: ['*', 'outcomes', 'admin'] })
  const sendWith = async (): Promise<number> =>
    (await send(served, [good(digest)], { ...headers, authorization: `Bearer ${key}` })).status
  for (let rotations = 0; rotations < 3; rotations++) {
    assert.equal(await sendWith(), 200)
    const path = `/admin/keys/${key.split('_')[1]}/rotate`
    const rotated = await served.post({}, { path, headers: served.admin })
    key = (rotated.json() as { key: string }).key
  }
  assert.equal(await outcomesIn(served), 1)
  assert.deepEqual(
    (await rowsOf(served)).map((row) => (row as readonly unknown[]).slice(3)),
    [
      [1, 0],
      [0, 1],
      [0, 1],
    ],
  )
})

test('a key needs the scope outcomes or admin for the deployment', async () => {
  const served = await start()
  const digest = await digestOf(served)
  const cases = [
    [['readmission'], 403],
    [['readmission', 'outcomes'], 200],
    [['flag', 'outcomes'], 403],
    [['*', 'outcomes'], 200],
    [['readmission', 'admin'], 200],
    [['flag', 'admin'], 403],
    [['admin'], 200],
  ] as const
  for (const [scopes, status] of cases) {
    const authorization = `Bearer ${await served.makeKey({ scopes })}`
    const name = scopes.join(' ')
    assert.equal((await send(served, [good(digest)], { authorization })).status, status, `send: ${name}`)
    assert.equal((await served.get(PERFORMANCE, { authorization })).status, status, `read: ${name}`)
    const acknowledged = await served.call({
      method: 'POST',
      path: `${PERFORMANCE}/acknowledge`,
      headers: { authorization },
    })
    const isManager = scopes.some((scope) => scope === 'admin') && status === 200
    assert.equal(acknowledged.status, isManager ? 404 : 403, `acknowledge: ${name}`)
  }
})

contract(
  '12.kept',
  'nothing of an element is kept or logged but its counts; the audit has a row for the call',
  async () => {
    const served = await start()
    const digest = await digestOf(served)
    const element = good(digest, { idx: 987654321, risk: 0.8765, patient: 'Ana-Maria-77' })
    await send(served, [element, { ...element, idx: 987654322, scored: 'Ana-Maria-78' }], {
      'idempotency-key': 'ward-key-4711',
    })
    const [row] = (await served.store.readAudit({ most: 1, newestFirst: true })).map(({ content }) => content)
    const { call, subject, deployment } = JSON.parse(row ?? '') as Record<string, unknown>
    assert.deepEqual([call, subject, deployment], ['outcomes', '1 of 2 counted', 'readmission'])
    const kept = readdirSync(served.dataDir).map((file) => readFileSync(join(served.dataDir, file), 'latin1'))
    const everything = [served.logText(), ...kept].join('\n')
    for (const secret of ['987654321', '0.8765', 'Ana-Maria', 'ward-key-4711'])
      assert.ok(!everything.includes(secret), secret)
  },
)

/** Status, subject, code, counted and repeated elements of every row about outcomes, oldest first. */
const rowsOf = async (served: Given): Promise<readonly unknown[]> =>
  (await served.store.readAudit({ most: 100 }))
    .map(factsOf)
    .filter(({ call }) => call === 'outcomes')
    .map(({ status, subject, code, counted, repeats }) => [status, subject, code, counted, repeats])

test('each call has one row, and only the row of outcomes that were counted says so', async () => {
  const served = await start()
  const digest = await digestOf(served)
  const headers = { 'idempotency-key': 'monthly' }
  for (const outcome of [true, true, false]) await send(served, [good(digest, { outcome })], headers)
  assert.deepEqual(await rowsOf(served), [
    [200, '1 of 1 counted', undefined, 1, 0],
    [200, '1 of 1 repeated', undefined, 0, 1],
    [409, undefined, 'IDEMPOTENCY_KEY_REUSED', undefined, undefined],
  ])
})

test('a call that is answered with 503 has counted nothing and is not audited as counted; its retry is', async () => {
  const served = await start()
  const digest = await digestOf(served)
  const { countOutcomes } = served.store
  served.store.countOutcomes = () => Promise.reject(new StoreError('the store did not answer in time'))
  assert.equal((await send(served, [good(digest)])).status, 503)
  served.store.countOutcomes = countOutcomes
  assert.equal(await outcomesIn(served), 0)
  assert.equal((await send(served, [good(digest)])).status, 200)
  assert.equal(await outcomesIn(served), 1)
  assert.deepEqual(await rowsOf(served), [
    [503, undefined, 'STORE_UNAVAILABLE', undefined, undefined],
    [200, '1 of 1 counted', undefined, 1, 0],
  ])
})

test('outcomes that are counted have their row, so no other failure of the audit refuses their answer', async () => {
  const served = await start()
  const digest = await digestOf(served)
  const appendAudit = served.store.appendAudit.bind(served.store)
  served.store.appendAudit = () => Promise.reject(new StoreError('the store did not answer in time'))
  assert.equal((await send(served, [good(digest)])).status, 200)
  // A repeat counts nothing, and its row cannot be written.
  assert.equal((await send(served, [good(digest)])).status, 503)
  served.store.appendAudit = appendAudit
  assert.equal(await outcomesIn(served), 1)
  assert.deepEqual(await rowsOf(served), [[200, '1 of 1 counted', undefined, 1, 0]])
})

test('what is wrong with a body of outcomes is said of outcomes', async () => {
  const served = await start([{ ...readmission, limits: { records: 1 } }])
  const digest = await digestOf(served)
  const detailOf = async (body: unknown): Promise<string> =>
    ((await send(served, body)).json() as { detail: string }).detail
  assert.equal(await detailOf({}), 'The body must be a JSON array of outcomes, also for a single one.')
  assert.equal(
    await detailOf([good(digest), good(digest)]),
    'The body holds 2 outcomes; the limit is 1. Send them in several requests.',
  )
})

contract(
  '12.cells',
  'a body that would change more cells than the limit is 413, and nothing is counted',
  async () => {
    const MOST = 3
    const CELLS = [
      [MOST - 1, 200],
      [MOST, 200],
      [MOST + 1, 413],
    ] as const
    const served = await start([{ ...readmission, outcomes: { horizonDays: 30, eta: 1, maxCells: MOST } }])
    const digest = await digestOf(served)
    for (const [cells, status] of CELLS) {
      const before = await outcomesIn(served)
      // Two elements a cell: the limit is on cells, not on elements.
      const body = Array.from({ length: 2 * cells }, (_each, idx) =>
        good(digest, { idx, risk: (1 + Math.floor(idx / 2)) / 10 }),
      )
      const answer = await send(served, body)
      assert.equal(answer.status, status, `${cells} cells`)
      const counted = (await outcomesIn(served)) - before
      assert.equal(counted, status === 200 ? 2 * cells : 0, `${cells} cells`)
      if (status === 413) assert.equal((answer.json() as { code: string }).code, 'TOO_MANY_CELLS')
    }
    assert.deepEqual((await rowsOf(served)).at(-1), [413, undefined, 'TOO_MANY_CELLS', undefined, undefined])
  },
)

// Two cells are taken from, two get one more, and two are looked at: a body that corrects two elements needs six.
atLimit(
  'counts that a body of outcomes changes, those that it corrects once more',
  { below: 7, at: 6, above: 5 },
  async (maxCells, isPermitted) => {
    const served = await start([{ ...readmission, outcomes: { horizonDays: 30, eta: 1, maxCells } }])
    const digest = await digestOf(served)
    const elements = [good(digest, { idx: 1, risk: 0.1 }), good(digest, { idx: 2, risk: 0.2 })]
    assert.equal((await send(served, elements)).status, 200)
    const corrected = elements.map((each) => ({ ...each, outcome: 'diedFirst', was: 'event' }))
    const answer = await send(served, corrected)
    assert.equal(answer.status, isPermitted ? 200 : 413, answer.text)
    if (isPermitted) assert.match(answer.text, /"counted":true.*"counted":true/)
  },
)

test('reading how the risks did counts against the requests of the key', async () => {
  const served = await start()
  const key = await served.makeKey({ scopes: ['*', 'outcomes'], limits: { requestsPerMinute: 2 } })
  const statuses: number[] = []
  for (let call = 0; call < 3; call++)
    statuses.push((await served.get(PERFORMANCE, { authorization: `Bearer ${key}` })).status)
  assert.deepEqual(statuses, [200, 200, 429])
})

test('a body of outcomes may begin with a byte order mark, and a charset of ASCII is ignored', async () => {
  const served = await start()
  const body = `\ufeff${JSON.stringify([good(await digestOf(served))])}`
  const answer = await send(served, body, { 'content-type': 'application/json; charset=us-ascii' })
  assert.equal(answer.status, 200, answer.text)
  assert.match(answer.text, /"counted":true/)
})

test('bodies of outcomes are read and summed by a worker', async () => {
  const dispatcher = testDispatcher()
  const served = await serve({ deployments: [readmission], service: { dispatcher } })
  after(async () => {
    await served.close()
    await dispatcher.close()
  })
  const key = await served.makeKey({ scopes: ['*', 'admin'] })
  const given = { ...served, admin: { authorization: `Bearer ${key}` } }
  const body = [good(await digestOf(given)), good('no digest', { idx: 2 })]
  const bytes = Buffer.from(JSON.stringify(body))
  const ran: number[] = []
  const run = dispatcher.run.bind(dispatcher)
  dispatcher.run = (job, _here, caller) => {
    ran.push(job.body.length)
    return run(job, () => assert.fail('answered in the thread of the requests'), caller)
  }
  const answer = await send(given, body)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(ran, [bytes.length])
})
