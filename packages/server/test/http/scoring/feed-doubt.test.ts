/** A feed that writes codes by another convention is named at every entrance: for its sender alone, and after a restart too. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import { DriftWatch, RecordCollector, SeenRecordsBuffer, watchFeeds } from '@patient-risk/monitor'
import { readmissionRecord } from '../../../../../test/support/records.ts'
import { SCORE, serve, testCatalog } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'
import { feedOf, sentAs } from '../../../../../test/simulate/feeds/catalogue.ts'
import { patientsOf } from '../../../../../test/simulate/feeds/patients.ts'
import { testBoard } from './test-board.ts'

const READMISSION = { name: 'ward', basePath: '/', model: 'readmission30', output: 'number' } as const
const DOUBT = /(^|, )sex;doubt=codes($|, )/
/** Men are H and women are M. */
const spanish = (count: number, men = 1): object[] =>
  Array.from({ length: count }, (_each, idx) => ({
    ...readmissionRecord(idx, 60 + ((idx * 7) % 37)),
    stayDays: 1 + ((idx * 5) % 13),
    inpatientAdmissions: (idx * 3) % 4,
    emergencyAdmissions: (idx * 11) % 5,
    sex: idx >= count - men ? 'H' : 'M',
  }))

interface Explained {
  readonly notices: readonly { readonly code: string; readonly field: string; readonly text: string }[]
}
const doubted = (answer: unknown): number =>
  (answer as readonly Explained[]).filter(({ notices }) =>
    notices.some(({ code, field }) => code === 'feed-doubt' && field === 'sex'),
  ).length

test('one H makes M ambiguous from then on, for this key alone, whatever the call', async () => {
  const service = await serve({ deployments: [READMISSION] })
  try {
    assert.equal((await service.post(spanish(20, 0))).headers['risk-feed-doubt'], undefined)
    assert.match(String((await service.post(spanish(20))).headers['risk-feed-doubt']), DOUBT)
    for (const call of ['', '/validate', '/explain'])
      assert.match(
        String((await service.post(spanish(1, 0), { path: SCORE + call })).headers['risk-feed-doubt']),
        DOUBT,
      )
    const single = await service.post(spanish(1, 0), { path: `${SCORE}/explain` })
    assert.equal(doubted(single.json()), 1)
    const other = { headers: { authorization: `Bearer ${await service.makeKey()}` } }
    assert.equal((await service.post(spanish(20, 0), other)).headers['risk-feed-doubt'], undefined)
  } finally {
    await service.close()
  }
})

test('in one body that is explained every M is doubted, also before the first H', async () => {
  const service = await serve({ deployments: [READMISSION] })
  try {
    const answer = await service.post(spanish(30), { path: `${SCORE}/explain` })
    assert.match(String(answer.headers['risk-feed-doubt']), DOUBT)
    assert.equal(doubted(answer.json()), 29)
    const { text } = (answer.json() as Explained[])[0]?.notices.find(({ code }) => code === 'feed-doubt') ?? {
      text: '',
    }
    assert.match(text, /"M" may mean something else/)
  } finally {
    await service.close()
  }
})

test('a stream is watched, and its next call says so', async () => {
  const service = await serve({ deployments: [READMISSION], isOverSocket: true })
  const headers = { 'content-type': 'application/x-ndjson' }
  const lines = spanish(50)
    .map((each) => `${JSON.stringify(each)}\n`)
    .join('')
  try {
    assert.equal((await service.post(lines, { headers })).headers['risk-feed-doubt'], undefined)
    assert.match(String((await service.post(lines, { headers })).headers['risk-feed-doubt']), DOUBT)
  } finally {
    await service.close()
  }
})

test('wrong feeds with all fields are named within 200 records, and a right one is not', async () => {
  const service = await serve({ deployments: [READMISSION] })
  // Assessments of the invented patients lie before this moment.
  service.clock.set('2026-11-18T12:00:00Z')
  try {
    for (const [id, field] of [
      ['missing-age-0', 'age'],
      ['height-m', 'must_height'],
      ['right', undefined],
    ] as const) {
      const records = id === 'right' ? patientsOf(1, 200) : sentAs(feedOf(id), 1)
      const key = { headers: { authorization: `Bearer ${await service.makeKey()}` } }
      const answers = []
      for (let at = 0; at < records.length; at += 50)
        answers.push(await service.post(records.slice(at, at + 50), key))
      const named = String(answers.at(-1)?.headers['risk-feed-doubt'] ?? '').replace(/;.*/, '')
      assert.equal(named, field ?? '', id)
    }
  } finally {
    await service.close()
  }
})

test('with a mapping there is no doubt', async () => {
  const service = await serve({ deployments: [{ ...READMISSION, codes: { sex: { H: 'M', M: 'F' } } }] })
  try {
    assert.equal((await service.post(spanish(20))).headers['risk-feed-doubt'], undefined)
  } finally {
    await service.close()
  }
})

test('haemoglobin in mmol/L is a doubt about its unit, and Risk-Unit-Doubt stays', async () => {
  const profund = { ...READMISSION, model: 'profund' } as const
  const service = await serve({ deployments: [profund] })
  try {
    const patients = Array.from({ length: 300 }, (_each, idx) => ({
      ...readmissionRecord(idx, 60 + ((idx * 7) % 37)),
      haemoglobin: 6 + ((idx * 13) % 37) / 10,
    }))
    const { headers } = await service.post(patients)
    assert.match(String(headers['risk-feed-doubt']), /haemoglobin;doubt=unit;received="g\/dL"/)
    assert.equal(headers['risk-unit-doubt'], 'haemoglobin;received="g/dL";likely="mmol/L"')
  } finally {
    await service.close()
  }
})

const CONFIRMED = [
  ['constant', true],
  ['share', true],
  ['codes', false],
] as const
for (const [reference, comes] of CONFIRMED) {
  test(`after ${reference} was confirmed, a foreign code is ${comes ? 'still' : 'no'} doubt`, async () => {
    const catalog = testCatalog()
    const { deployments } = makeDeployments(catalog, [READMISSION])
    const { board, store } = await testBoard()
    const subject = { kind: 'feed', deployment: 'ward', keyId: 'key', field: 'sex' } as const
    await store.writeAlarm({ ...subject, basis: 'as sent', likely: '', reference, state: 'confirmed', at: 1 })
    const watch = watchFeeds(catalog, deployments, board, new DriftWatch(catalog, deployments, board)).get(
      'ward',
    )
    await board.refresh()
    watch?.count('key', { seen: new SeenRecordsBuffer(), units: [], places: [], codes: [['sex', 'H']] })
    assert.deepEqual(watch?.doubts('key'), comes ? [{ field: 'sex', doubt: 'codes' }] : [])
  })
}

test('a doubt lasts over a restart', async () => {
  const catalog = testCatalog()
  const { deployments } = makeDeployments(catalog, [READMISSION])
  const [deployment] = deployments
  assert.ok(deployment)
  const first = await testBoard()
  const watchBy = (board: typeof first.board): ReturnType<typeof watchFeeds> =>
    watchFeeds(catalog, deployments, board, new DriftWatch(catalog, deployments, board))
  const watch = watchBy(first.board).get('ward')
  const collector = new RecordCollector({
    definitions: catalog.definitions,
    model: deployment.model.definition,
  })
  const body = Buffer.from(JSON.stringify(spanish(5)))
  deployment.scorer.score(body, 20260101, undefined, { watch: collector })
  const observed = collector.taken()
  assert.ok(observed)
  // It crosses from a worker as it is.
  watch?.count('key', structuredClone(observed))
  await until(async () => (await first.store.readAlarms()).length === 1)
  const next = await testBoard(first.store)
  const restarted = watchBy(next.board).get('ward')
  await next.board.refresh()
  assert.deepEqual(restarted?.doubts('key'), [{ field: 'sex', doubt: 'codes' }])
  assert.deepEqual(restarted.doubts('other'), [])
  assert.deepEqual(
    restarted.doubts('key', { sex: { H: 'M', M: 'F' } }),
    [],
    'the key has codes of its own now',
  )
})
