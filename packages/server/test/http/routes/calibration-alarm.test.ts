/** What counted outcomes show: the alarm of calibration, what is hidden, and states that a deployment had before. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import { createServer } from '../../../src/http/server.ts'
import { createLog } from '../../../src/log/log.ts'
import { Metrics } from '../../../src/metrics/metrics.ts'
import { openStore } from '../../../src/store/open.ts'
import { MONTHS, QUICK_WAYS, feed, raisesNone, shown } from './fed-months.ts'
import { PERFORMANCE, digestOf, good, readmission, scoreIn, send, start } from './outcomes-set-up.ts'
import { UNHURRIED } from '../../../../../test/support/unhurried.ts'

test('wrong risks raise an alarm that metric, header and answer show until it is acknowledged', async () => {
  const served = await start()
  await feed(served, MONTHS, 1.8)
  const { alarm, until, months, groups } = await shown(served)
  assert.equal(until, '2026-01')
  assert.equal(alarm.limit, 4_800)
  assert.ok((alarm.evidence ?? 0) > 4_800)
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
  // What raised it says nothing of the risks since.
  assert.deepEqual(
    [later.verdict.kind, later.bounds, later.alarm.acknowledged],
    ['acknowledged', null, until],
  )
  assert.match(later.verdict.text, /^Nobody can say yet: .* no month after 2026-01 has been judged\.$/)
  assert.equal(await header(), undefined)
  assert.match(await metric(), /patient_risk_calibration_alarm\{deployment="readmission"\} 0/)
})

test('after an acknowledgement the verdict is on the months since, where enough of them is known', async () => {
  const served = await start()
  served.clock.set('2026-05-15T00:00:00Z')
  await feed(served, MONTHS.slice(2), 1.8)
  await shown(served)
  const path = (group: string | null): string =>
    `${PERFORMANCE}/acknowledge${group === null ? '' : `?group=${encodeURIComponent(group)}`}`
  served.clock.set('2026-03-15T00:00:00Z')
  for (const { group } of (await shown(served)).alarm.open)
    await served.call({ method: 'POST', path: path(group), headers: served.admin })
  served.clock.set('2026-05-15T00:00:00Z')
  // Ten patients are too few to be told of, also as what is left of the whole.
  const digest = await digestOf(served)
  await scoreIn(served, '2026-02', digest, new Array<number>(10).fill(0.2))
  const few = Array.from({ length: 10 }, (_each, idx) =>
    good(digest, { idx, risk: 0.2, outcome: idx < 2, scored: '2026-02' }),
  )
  await send(served, few)
  while (await served.store.countRows());
  const soon = await shown(served)
  assert.deepEqual([soon.verdict.kind, soon.bounds, soon.alarm.reach], ['tooFew', null, null])
  await feed(served, ['2026-02', '2026-03'], 1)
  const { verdict, bounds, months } = await shown(served)
  assert.equal(months.length, 5)
  assert.equal(bounds?.scored, 810)
  assert.match(
    verdict.text,
    /^No sign that the risks are wrong in 2 months after 2026-01, when an alarm was acknowledged: \d+ of 810 /,
  )
})

raisesNone(QUICK_WAYS)

test('a month counts when the horizon of its last patient has passed', async () => {
  const fresh = await start()
  // Those without an event are known to have had none only after the horizon.
  fresh.clock.set('2026-03-31T00:00:00Z')
  await feed(fresh, ['2026-02'], 3)
  fresh.clock.set('2026-03-29T00:00:00Z')
  assert.deepEqual(
    (await shown(fresh)).months.map(({ complete, judged }) => [complete, judged]),
    [[false, false]],
  )
  fresh.clock.set('2026-03-31T00:00:00Z')
  assert.deepEqual((await shown(fresh)).months[0]?.complete, true)
  assert.ok(((await shown(fresh)).alarm.evidence ?? 0) > 4_800)
})

test('wrong risks are found where a few outcomes are missing; months that were not counted at scoring raise none', async () => {
  const some = await start()
  await feed(some, MONTHS, 1.8, { isSent: (_outcome, place) => place % 20 !== 0 })
  const { alarm, verdict } = await shown(some)
  const finding = alarm.open.find(({ group }) => group === null)?.finding
  assert.equal(finding?.direction, 'more')
  assert.ok(finding.least < finding.most)
  assert.ok(finding.least > finding.expected)
  assert.match(
    finding.text,
    /^Since 2025-\d\d more patients had the event than their risks say: at least \d+ of 100 where/,
  )
  assert.equal(verdict.kind, 'alarm')
  assert.match(alarm.reach ?? '', /too low \(× 1.3\): yes, 5\.0 % of outcomes are not known/)
  // As of a version that did not count at scoring: the rows say how many, and nothing of the risks.
  const old = await start([readmission])
  const digest = await digestOf(old)
  const body = Array.from({ length: 400 }, (_each, idx) =>
    good(digest, { idx, outcome: true, scored: '2026-01' }),
  )
  await send(old, body)
  const { alarm: none, months, verdict: said } = await shown(old)
  assert.deepEqual([none.open, none.evidence, months[0]?.judged, said.kind], [[], null, false, 'notCounted'])
})

test('an alarm that was open before the start is in the first answer', async () => {
  const served = await start()
  const subject = { deployment: 'readmission', keyId: '', state: 'raised', at: 0 } as const
  await served.store.writeAlarm({
    ...{ ...subject, kind: 'calibration', field: 'ward 3' },
    ...{ basis: 'an earlier state', likely: '2026-01', reference: '' },
  })
  const { store, secrets } = await openStore(served.dataDir, undefined, undefined, UNHURRIED)
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
  await scoreIn(served, '2026-01', digest, [0.2294])
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
      riskDigest: '',
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
  const none = { scored: 0, outcomes: 0, coverage: null, diedFirst: 0, unknown: 0 }
  assert.deepEqual([model, coverage], ['readmission30@1.0.0', none])
  assert.equal((states as unknown[]).length, 2)
  assert.equal((await served.get(`${PERFORMANCE}?digest=none`, served.admin)).status, 404)
})

/** Whose outcomes the first two of four months are · whether their evidence counts with that of the others. */
const EARLIER: readonly (readonly [string, 'same' | 'other' | undefined, boolean])[] = [
  ['the present state', undefined, true],
  ['an earlier state whose numbers follow from the same', 'same', true],
  ['an earlier state whose numbers follow from something else', 'other', false],
]
const evidences: (readonly [isShared: boolean, evidence: number | null])[] = []
for (const [name, kind, isShared] of EARLIER) {
  test(`${name}: its evidence is ${isShared ? 'carried on' : 'its own'}`, async () => {
    const served = await start([readmission])
    const { deployment } = (await served.get('/risk/api/do/v0/model')).json() as {
      deployment: { riskDigest: string }
    }
    const past = 'q'.repeat(43) + '='
    if (kind !== undefined) {
      const riskDigest = kind === 'same' ? deployment.riskDigest.slice(9, -1) : 'another'
      const about = { deployment: 'readmission', model: 'readmission30@1.0.0', output: 'number' } as const
      await served.store.noteStates([{ ...about, digest: past, threshold: 0.15, centre: null, riskDigest }])
    }
    await feed(served, ['2025-10', '2025-11'], 1.5, { of: kind && `sha-256=:${past}:` })
    const { alarm: none } = await shown(served)
    await feed(served, ['2025-12'], 1.5)
    const { alarm, months } = await shown(served)
    // The figures stay those of the state that was asked for.
    assert.equal(months.length, kind === undefined ? 3 : 1)
    const after = alarm.evidence
    evidences.push([isShared, after])
    assert.equal(none.evidence === null, kind !== undefined)
  })
}

test('evidence that is carried on is that of one state with all months', () => {
  const shared = evidences.flatMap(([isShared, evidence]) => (isShared ? [evidence] : []))
  const own = evidences.flatMap(([isShared, evidence]) => (isShared ? [] : [evidence]))
  assert.equal(shared.length, 2)
  assert.equal(shared[0], shared[1])
  assert.ok((own[0] ?? Infinity) < (shared[0] ?? 0))
})

test('the evidence is worked out again only when counts or alarms have changed', async () => {
  const served = await start([readmission])
  const read = served.store.readOutcomes
  let months = 0
  Object.assign(served.store, {
    readOutcomes: (...args: Parameters<typeof read>) => {
      if (args[2][0] !== '' && args[2][0] === args[2][1]) months++
      return read(...args)
    },
  })
  await feed(served, ['2025-11', '2025-12'], 1)
  const first = await shown(served)
  const soFar = months
  assert.ok(soFar >= 2)
  assert.deepEqual((await shown(served)).alarm, first.alarm)
  assert.equal(months, soFar)
  await feed(served, ['2026-01'], 1)
  assert.notEqual((await shown(served)).alarm.evidence, first.alarm.evidence)
  assert.ok(months >= soFar + 3)
})
