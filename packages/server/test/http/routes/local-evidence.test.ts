/** What a risk meant here, the shadow with outcomes, and other answers that follow from counts. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { serve, testCatalog } from '../../../../../test/support/serve.ts'
import {
  type Given,
  OUTCOMES,
  PERFORMANCE,
  digestOf,
  flag,
  good,
  readmission,
  scoreIn,
  send,
  start,
} from './outcomes-set-up.ts'

const EVIDENCE = '/risk/api/do/v0/local-evidence'

interface Evidence {
  readonly alarm: { readonly month: string; readonly text: string | null } | null
  readonly bands: readonly { from: number; to: number; scored: number; least: number; most: number }[]
}

type IsSent = (patient: { readonly outcome: boolean }, place: number) => boolean

/** Patients of two risks: so many of each, with so many events. All are scored, and sent where nothing else is said. */
async function sendTwo(
  served: Given,
  low: [number, number],
  high: [number, number],
  isSent: IsSent = () => true,
): Promise<string> {
  const digest = await digestOf(served)
  const patients = [low, high].flatMap(([number, events], which) =>
    Array.from({ length: number }, (_each, at) => ({
      risk: which === 0 ? 0.06 : 0.22,
      outcome: at < events,
    })),
  )
  await scoreIn(
    served,
    '2026-01',
    digest,
    patients.map(({ risk }) => risk),
  )
  const body = patients.filter(isSent).map((each, idx) => good(digest, { ...each, idx, scored: '2026-01' }))
  assert.equal((await send(served, body)).status, 200)
  while (await served.store.countRows());
  return digest
}

/** What was sent of low and of high risks · the bands that are shown. */
const SENT: readonly (readonly [
  string,
  [number, number],
  [number, number],
  readonly (readonly [from: number, to: number, scored: number, least: number, most: number])[],
  IsSent?,
])[] = [
  [
    'two bands that are large enough',
    [40, 5],
    [20, 5],
    [
      [0, 0.075, 40, 5, 5],
      [0.075, 1, 20, 5, 5],
    ],
  ],
  ['events below the limit are joined', [40, 4], [20, 5], [[0, 1, 60, 9, 9]]],
  ['a rest below the limit joins the last band', [40, 5], [19, 5], [[0, 1, 59, 10, 10]]],
  ['too few of all', [10, 2], [9, 3], []],
  // Of what came, 10 of 23 and 8 of 23 had the event.
  [
    'events are sent first: those who are not known may have had it or not',
    [100, 10],
    [40, 8],
    [
      [0, 0.075, 100, 10, 87],
      [0.075, 1, 40, 8, 25],
    ],
    ({ outcome }, place) => outcome || place % 7 === 0 || place >= 128,
  ],
  ['only events are sent', [100, 8], [40, 9], [], ({ outcome }) => outcome],
]
for (const [what, low, high, bands, isSent] of SENT) {
  test(what, async () => {
    const served = await start([readmission])
    await sendTwo(served, low, high, isSent)
    // A key that only scores sees it.
    const shown = (await served.get(EVIDENCE)).json() as Evidence
    assert.deepEqual(
      shown.bands.map(({ from, to, scored, least, most }) => [from, to, scored, least, most]),
      bands,
    )
    assert.equal(shown.alarm, null)
  })
}

test('months in which nobody was scored, or that are not complete, say nothing of a risk', async () => {
  const served = await start([readmission])
  const digest = await sendTwo(served, [40, 5], [20, 5])
  const shown = async (): Promise<Evidence['bands']> =>
    ((await served.get(EVIDENCE)).json() as Evidence).bands
  const before = await shown()
  for (const scored of ['2025-12', '2026-02']) {
    const body = Array.from({ length: 60 }, (_each, idx) => good(digest, { idx, risk: 0.06, scored }))
    assert.match((await send(served, body)).text, /"counted":true/)
  }
  while (await served.store.countRows());
  assert.deepEqual(await shown(), before)
})

test('the open alarm of all patients is told in words, and acknowledged with a reason that the audit keeps', async () => {
  const served = await start([readmission])
  await sendTwo(served, [200, 90], [200, 120])
  await served.get(PERFORMANCE, served.admin)
  const { alarm } = (await served.get(EVIDENCE)).json() as Evidence
  assert.equal(alarm?.month, '2026-01')
  assert.match(
    alarm.text ?? '',
    /^Since 2026-01 more patients had the event than their risks say: 5\d of 100/,
  )
  const path = (reason: string): string => `${PERFORMANCE}/acknowledge?reason=${reason}`
  const settle = (reason: string): ReturnType<Given['call']> =>
    served.call({ method: 'POST', path: path(reason), headers: served.admin })
  assert.equal((await settle('because')).status, 400)
  assert.equal((await settle('care')).status, 200)
  const [row] = await served.store.readAudit({ most: 1, newestFirst: true })
  assert.match(row?.content ?? '', /"subject":"whole, reason: care"/)
})

test('answers of Yes and No have an alarm; a tolerance keeps small errors quiet', async () => {
  const evidences: (number | null)[] = []
  for (const tolerance of [0, 0.15, 1]) {
    const outcomes = { ...flag.outcomes, horizonDays: 30, eta: 1, tolerance }
    const served = await start([{ ...flag, outcomes }])
    const digest = await digestOf(served, '/flag')
    const patients = Array.from({ length: 200 }, (_each, at) => ({
      risk: at % 2 === 0 ? 'Yes' : 'No',
      outcome: at % 4 === 0 || at % 10 === 1,
    }))
    const risks = patients.map(({ risk }) => (risk === 'Yes' ? 0.3 : 0.05))
    await scoreIn(served, '2026-01', digest, risks, { name: 'flag', yesFrom: 0.15 })
    const body = patients.map((each, idx) => good(digest, { ...each, idx, scored: '2026-01' }))
    await send(served, body, {}, `/flag${OUTCOMES}`)
    while (await served.store.countRows());
    const shown = (await served.get(`/flag${PERFORMANCE}`, served.admin)).json() as {
      alarm: { evidence: number | null; open: { group: string | null }[] }
    }
    evidences.push(shown.alarm.evidence)
    assert.equal(
      shown.alarm.open.some(({ group }) => group === null),
      tolerance < 1,
    )
  }
  const [none = 0, some = 0, most = 0] = evidences.map(Number)
  assert.ok(none > some && some > most)
})

test('another horizon than that of the card stops the start', () => {
  const faultsWith = (horizonDays: number): readonly string[] => {
    const outcomes = { horizonDays, eta: 1 }
    return makeDeployments(testCatalog(), [{ ...readmission, outcomes }]).faults.map(({ message }) => message)
  }
  assert.deepEqual(faultsWith(30), [])
  for (const other of [29, 31, 365])
    assert.match(
      faultsWith(other).join(),
      new RegExp(`the horizon is ${other}; the card of \\S+ has 30 days`),
    )
})

test('outcomes with both risks compare the shadow with the answer; without a shadow they are refused', async () => {
  const outcomes = { horizonDays: 30, eta: 1 }
  const settings: DeploymentSettings = { ...readmission, outcomes, shadow: { model: 'hospital' } }
  const own = await serve({ deployments: [settings, { ...readmission, name: 'alone', basePath: '/alone' }] })
  after(() => own.close())
  const admin = { authorization: `Bearer ${await own.makeKey({ scopes: ['*', 'admin'] })}` }
  const served = { ...own, admin }
  const digest = await digestOf(served)
  // The shadow flags all with the event, the answer half of them; the answer also flags some others.
  const body = Array.from({ length: 120 }, (_each, idx) => {
    const outcome = idx < 40
    const risk = (outcome && idx % 2 === 0) || idx >= 100 ? 0.3 : 0.05
    return good(digest, { idx, risk, outcome, shadowRisk: outcome ? 0.4 : 0.02, scored: '2026-01' })
  })
  const unknown = good(digest, {
    idx: 500,
    outcome: 'unknown',
    shadowRisk: 0.4,
    risk: 0.05,
    scored: '2026-01',
  })
  // Those with the event of a month that is not complete came first.
  const early = Array.from({ length: 50 }, (_each, idx) =>
    good(digest, { idx: 600 + idx, risk: 0.05, shadowRisk: 0.4, scored: '2026-03' }),
  )
  await send(served, [...body, unknown, ...early])
  const path = '/risk/api/do/v0/shadow'
  const read = async (): Promise<{ outcomes: Record<string, unknown> }> =>
    (await served.get(path, admin)).json() as { outcomes: Record<string, unknown> }
  const { outcomes: found } = await read()
  assert.deepEqual(found['moves'], {
    events: { of: 40, up: 20, down: 0 },
    others: { of: 80, up: 0, down: 20 },
  })
  assert.deepEqual(found['unsent'], { of: 1, up: 1, down: 0 })
  const { events, others } = found['comparison'] as {
    readonly events: { readonly value: number }
    readonly others: { readonly value: number }
  }
  assert.deepEqual([events.value, others.value], [0.5, 0.25])
  // Nobody was counted at scoring; nothing is missing; of 200 more nothing came.
  for (const [scored, notSent, words] of [
    [0, null, 'if outcomes that are not known are like the others'],
    [121, 0, 'whatever the outcomes are'],
    [200, 200, 'if outcomes that are not known are like the others'],
  ] as const) {
    await scoreIn(served, '2026-01', digest, new Array<number>(scored).fill(0.05))
    const { outcomes: now } = await read()
    assert.equal(now['notSent'], notSent)
    assert.ok(String(now['text']).startsWith('The shadow is better at the threshold'))
    assert.ok(String(now['text']).includes(words), String(now['text']))
  }
  const meanOf = (part: unknown): number => (part as { risks: { meanPredicted: number } }).risks.meanPredicted
  assert.ok(Math.abs(meanOf(found['shadow']) - (40 * 0.4 + 80 * 0.02) / 120) < 1e-9)
  assert.ok(Math.abs(meanOf(found['answer']) - (40 * 0.3 + 80 * 0.05) / 120) < 1e-9)
  // A correction moves both.
  const corrected = { ...body[0], outcome: 'none', was: 'event' }
  await send(served, [corrected], { 'idempotency-key': 'corrected' })
  assert.deepEqual((await read()).outcomes['moves'], {
    events: { of: 39, up: 20, down: 0 },
    others: { of: 81, up: 0, down: 20 },
  })
  // A correction with a risk that the outcome did not have takes away nothing of others.
  const plain = good(digest, { idx: 900, risk: 0.61, outcome: 'event', scored: '2026-01' })
  await send(served, [plain], { 'idempotency-key': 'plain' })
  await send(served, [{ ...plain, shadowRisk: 0.02, outcome: 'none', was: 'event' }], {
    'idempotency-key': 'late risk',
  })
  const { moves } = (await read()).outcomes as { moves: Record<'events' | 'others', { of: number }> }
  assert.deepEqual([moves.events.of, moves.others.of], [39, 82])
  const alone = await send(
    served,
    [good(await digestOf(served, '/alone'), { shadowRisk: 0.1 })],
    {},
    `/alone${OUTCOMES}`,
  )
  assert.match(alone.text, /value ShadowRisk in idx 1 \(not a permitted value\)/)
})
