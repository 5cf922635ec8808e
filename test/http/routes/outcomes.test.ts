/** Outcomes over HTTP: each element judged, counts kept and nothing else, retries, keys, and what the counts show. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeDeployments } from '../../../src/catalog/deployment.ts'
import type { DeploymentSettings } from '../../../src/config/config-schema.ts'
import { randomFrom } from '../../../src/learn/numbers/random.ts'
import { createServer } from '../../../src/http/server.ts'
import { createLog } from '../../../src/log/log.ts'
import { Metrics } from '../../../src/metrics/metrics.ts'
import { openStore } from '../../../src/store/open.ts'
import { contract } from '../../contract/clauses.ts'
import type { Answer } from '../../exchange.ts'
import { type Served, serve } from '../../serve.ts'

const OUTCOMES = '/risk/api/do/v0/outcomes'
const PERFORMANCE = '/risk/api/do/v0/performance'
const DAY = 86_400_000

const readmission: DeploymentSettings = {
  ...{ name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
  outcomes: { horizonDays: 30, eta: 1, groups: ['ward 3', 'ward 4'] },
}
const flag: DeploymentSettings = { ...readmission, name: 'flag', basePath: '/flag', output: 'yes-no' }

async function start(
  deployments = [readmission, flag],
): Promise<Served & { readonly admin: Record<string, string> }> {
  const served = await serve({ deployments })
  after(() => served.close())
  const key = await served.makeKey({ scopes: ['*', 'admin'] })
  return { ...served, admin: { authorization: `Bearer ${key}` } }
}
type Given = Awaited<ReturnType<typeof start>>

const digestOf = async (served: Given, base = ''): Promise<string> =>
  ((await served.get(`${base}/risk/api/do/v0/model`)).json() as { deployment: { digest: string } }).deployment
    .digest
const send = (
  served: Given,
  body: unknown,
  headers: Record<string, string> = {},
  path = OUTCOMES,
): Promise<Answer> => served.post(body, { path, headers: { ...served.admin, ...headers } })
const good = (digest: string, more: object = {}): Record<string, unknown> => ({
  ...{ idx: 1, risk: 0.2294, outcome: true, digest, scored: '2026-02' },
  ...more,
})
const outcomesIn = async (served: Given, name = 'readmission', base = ''): Promise<number> => {
  const digest = (await digestOf(served, base)).slice(9, -1)
  const cells = await served.store.readOutcomes(name, digest, ['', '9999-12'], [])
  return cells.reduce((sum, { number }) => sum + number, 0)
}

contract(
  '12.elements',
  'each element is judged with all its problems; the good ones are counted',
  async () => {
    const served = await start()
    const digest = await digestOf(served)
    const reasons = (field: string, reason: string): string => `${field}: ValueError (${reason})`
    const cases: readonly (readonly [unknown, readonly string[]])[] = [
      [good(digest), []],
      [good(digest, { group: 'ward 3', scored: '2016-03' }), []],
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
      [good(digest, { scored: '2016-02' }), [reasons('scored', 'out of range')]],
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
    served.clock.advance(DAY)
    await send(served, [good(digest, { outcome: false })], headers)
    assert.equal(await outcomesIn(served), 4)
    for (const bad of ['', ' ', 'a\u00e9', 'x'.repeat(256)])
      assert.equal((await send(served, [good(digest)], { 'idempotency-key': bad })).status, 400)
  },
)

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

/** Patients that the service has scored in a month, as its audit says. */
async function scored(served: Given, month: string, digest: string, records: number): Promise<void> {
  const call = {
    call: 'score',
    status: 200,
    records,
    scored: records,
    today: Number(`${month.replace('-', '')}15`),
  }
  const of = { deployment: 'readmission', deploymentDigest: digest.slice(9, -1) }
  const text = JSON.stringify({ at: `${month}-15T00:00:00.000Z`, ...call, ...of })
  await served.store.appendAudit([{ at: Date.parse(`${month}-15T00:00:00Z`), keyId: null, text }])
}

/** Months of outcomes whose true risk is a multiple of the risk that was given, with as many patients scored. */
async function feed(served: Given, months: readonly string[], times: number, share = 1): Promise<void> {
  const digest = await digestOf(served)
  const random = randomFrom(months.length)
  for (const month of months) {
    await scored(served, month, digest, 400)
    const body = Array.from({ length: 400 * share }, (_each, idx) => {
      const risk = Math.round((0.05 + 0.25 * random()) * 10_000) / 10_000
      return good(digest, {
        idx,
        risk,
        outcome: random() < times * risk,
        scored: month,
        group: idx % 2 === 0 ? 'ward 3' : 'ward 4',
      })
    })
    assert.equal((await send(served, body, { 'idempotency-key': month })).status, 200)
  }
  while (await served.store.countRows());
}

interface Shown {
  readonly until: string
  readonly alarm: {
    readonly limit: number
    readonly evidence: number
    readonly open: { group: string | null; month: string; since: string }[]
  }
  readonly months: {
    month: string
    coverage: number
    complete: boolean
    judged: boolean
    figures: object | null
  }[]
  readonly groups: { group: string | null; figures: object | null; months: object[] | null }[]
}
const shown = async (served: Given): Promise<Shown> =>
  (await served.get(PERFORMANCE, served.admin)).json() as Shown
const MONTHS = ['2025-09', '2025-10', '2025-11', '2025-12', '2026-01']

test('wrong risks raise an alarm that metric, header and answer show until it is acknowledged', async () => {
  const served = await start()
  await feed(served, MONTHS, 1.8)
  const { alarm, until, months, groups } = await shown(served)
  assert.equal(until, '2026-01')
  assert.equal(alarm.limit, 4_800)
  assert.ok(alarm.evidence > 4_800)
  assert.ok(
    months.every(
      ({ coverage, complete, judged, figures }) => coverage === 1 && complete && judged && figures,
    ),
  )
  assert.equal(groups.find(({ group }) => group === 'ward 3')?.months?.length, 5)
  const { open } = alarm
  assert.ok(open.some(({ group }) => group === null))
  const listed = (await served.get('/admin/alarms', served.admin)).json() as Record<string, string>[]
  const calibration = listed.filter(({ kind }) => kind === 'calibration')
  assert.deepEqual(
    calibration.map(({ field, likely }) => [field, likely]).sort(),
    open.map(({ group, month }) => [group ?? '', month]).sort(),
  )
  assert.ok(served.logLines().some(({ event }) => event === 'calibration-alarm'))
  const metric = async (): Promise<string> => (await served.get('/metrics', served.admin)).text
  assert.match(await metric(), /patient_risk_calibration_alarm\{deployment="readmission"\} 1/)
  assert.doesNotMatch(await metric(), /ward/)
  const record = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
  const header = async (): Promise<unknown> => (await served.post([record])).headers['risk-calibration-alarm']
  assert.equal(await header(), open[0]?.month)
  const stream = { 'content-type': 'application/x-ndjson' }
  const streamed = await served.post(`${JSON.stringify(record)}\n`, { headers: stream })
  assert.equal(streamed.headers['risk-calibration-alarm'], open[0]?.month)
  for (const group of [null, ...open.flatMap((each) => each.group ?? [])]) {
    const query = group === null ? '' : `?group=${encodeURIComponent(group)}`
    const path = `${PERFORMANCE}/acknowledge${query}`
    assert.equal((await served.call({ method: 'POST', path, headers: served.admin })).status, 200)
    assert.equal((await served.call({ method: 'POST', path, headers: served.admin })).status, 404)
  }
  const [row] = await served.store.readAudit({ most: 2, newestFirst: true })
  assert.match(row?.content ?? '', /"call":"alarm acknowledge"/)
  // It begins again after the months that were acknowledged.
  const later = await shown(served)
  assert.equal(later.alarm.evidence, null)
  assert.deepEqual(later.alarm.open, [])
  assert.equal(await header(), undefined)
  assert.match(await metric(), /patient_risk_calibration_alarm\{deployment="readmission"\} 0/)
})

test('right risks raise none; nor do months that are not complete, or of which too few or too many outcomes came', async () => {
  const right = await start()
  await feed(right, MONTHS, 1)
  assert.deepEqual((await shown(right)).alarm.open, [])
  // A month is complete when the horizon of its last patient has passed.
  const fresh = await start()
  await feed(fresh, ['2026-02'], 3)
  assert.deepEqual(
    (await shown(fresh)).months.map(({ complete, judged }) => [complete, judged]),
    [[false, false]],
  )
  fresh.clock.set('2026-03-31T00:00:00Z')
  assert.deepEqual((await shown(fresh)).months[0]?.complete, true)
  assert.ok((await shown(fresh)).alarm.evidence > 4_800)
  for (const share of [0.79, 1.2]) {
    const served = await start()
    await feed(served, MONTHS, 1.8, share)
    const { alarm, months } = await shown(served)
    assert.deepEqual(alarm.open, [])
    assert.ok(months.every(({ judged }) => !judged))
  }
})

test('an alarm that was open before the start is in the first answer', async () => {
  const served = await start()
  const subject = { deployment: 'readmission', keyId: '', state: 'raised', at: 0 } as const
  await served.store.writeAlarm({
    ...{ ...subject, kind: 'calibration', field: 'ward 3' },
    ...{ basis: 'an earlier state', likely: '2026-01', reference: '' },
  })
  const { store, secrets } = await openStore(served.dataDir, undefined)
  const { catalog, clock } = served
  const { deployments } = makeDeployments(catalog, [readmission])
  const log = createLog('error', { write: () => undefined })
  const parts = { catalog, deployments, store, secrets, clock, log, metrics: new Metrics([]) }
  const app = await createServer(parts)
  after(() => app.close().then(() => store.close()))
  const headersOfCall = { ...served.admin, 'content-type': 'application/json' }
  const call = { method: 'POST', url: '/risk/api/do/v0', headers: headersOfCall, payload: '[]' } as const
  const { headers } = await app.inject(call)
  assert.equal(headers['risk-calibration-alarm'], '2026-01')
})

test('the evidence of few outcomes is not shown', async () => {
  const served = await start()
  const digest = await digestOf(served)
  await scored(served, '2026-01', digest, 1)
  await send(served, [good(digest, { scored: '2026-01' })])
  while (await served.store.countRows());
  const { alarm, months } = await shown(served)
  assert.deepEqual([months[0]?.judged, alarm.evidence], [true, null])
})

test('a state that the deployment had before still takes outcomes, and has figures of its own', async () => {
  const served = await start()
  const past = 'p'.repeat(43) + '='
  await served.store.noteStates([
    {
      deployment: 'readmission',
      digest: past,
      model: 'readmission30@1.0.0',
      output: 'number',
      threshold: 0.2,
      centre: -2,
    },
  ])
  const digest = `sha-256=:${past}:`
  const body = Array.from({ length: 40 }, (_each, idx) => good(digest, { idx, outcome: idx % 4 === 0 }))
  await send(served, body)
  const query = `?digest=${encodeURIComponent(digest)}`
  const { model, coverage, states } = (await served.get(PERFORMANCE + query, served.admin)).json() as Record<
    string,
    object
  >
  assert.deepEqual([model, coverage], ['readmission30@1.0.0', { scored: 0, outcomes: 0, coverage: null }])
  assert.equal((states as unknown[]).length, 2)
  assert.equal((await served.get(`${PERFORMANCE}?digest=none`, served.admin)).status, 404)
})
