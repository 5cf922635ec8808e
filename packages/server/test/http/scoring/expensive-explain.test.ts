/** Explaining records that take much work: never in the thread that receives requests, and for no longer than somebody waits. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { after, test } from 'node:test'
import {
  type Catalog,
  type CatalogModel,
  type Deployment,
  makeDeployments,
  packDeployments,
} from '@patient-risk/catalog'
import { DEFAULT_SERVER_SETTINGS, type DeploymentSettings } from '@patient-risk/catalog/config'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { RECORD_STEPS, type WorkBudget, type BodyCall } from 'patient-risk-engine'
import { AppError } from '@patient-risk/runtime'
import { type Caller, REQUEST_STEPS, RequestBudget } from '../../../src/http/scoring/request-budget.ts'
import {
  BUDGET_STEPS,
  ScoringDispatcher,
  openDispatcher,
} from '../../../src/http/scoring/scoring-dispatcher.ts'
import { type BodyAnswer, scoringJobs } from '../../../src/http/scoring/scoring-jobs.ts'
import { around, atLimit } from '../../../../../test/support/limits.ts'
import { emptyRecords, productsModel } from '../../../../../test/support/products-model.ts'
import { SCORE, type Served, serve, testCatalog } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'

const TODAY = 20260315
const NAME = 'products'

/** The catalogue with one model more, and a deployment of it at the base path `/products`. */
function withModel(definition: ModelDefinition): {
  readonly catalog: Catalog
  readonly deployments: readonly Deployment[]
} {
  const known = testCatalog()
  const base = known.models.get('readmission30@1.0.4') as CatalogModel
  const own: CatalogModel = { ...base, selfCheckFailures: [], definition }
  const key = `${definition.id}@${definition.version}`
  const catalog: Catalog = { ...known, models: new Map([...known.models, [key, own]]) }
  const settings: readonly DeploymentSettings[] = [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    { name: NAME, basePath: `/${NAME}`, model: definition.id, output: 'number' },
  ]
  const { deployments, faults } = makeDeployments(catalog, settings)
  assert.deepEqual(faults, [])
  return { catalog, deployments }
}

const { catalog, deployments } = withModel(productsModel())
const found = deployments.find(({ name }) => name === NAME)
assert.ok(found)
const deployment: Deployment = found
const dispatcher = openDispatcher(catalog, deployments, {
  threads: 1,
  worker: { entry: new URL('../../../src/adapters/worker.ts', import.meta.url), data: {} },
})
after(() => dispatcher.close())

/** A budget that also counts the steps that were allowed. */
class Counted implements WorkBudget {
  steps = 0
  private readonly inner: WorkBudget

  constructor(inner: WorkBudget) {
    this.inner = inner
  }

  beforeParse(bytes: number): void {
    this.inner.beforeParse(bytes)
  }

  step(answerBytes: number): void {
    this.inner.step(answerBytes)
  }

  work(steps: number): void {
    this.inner.work(steps)
    this.steps += steps
  }
}

/** The deployment, with a count of the steps that are taken in this thread. */
function watched(): { readonly own: Deployment; readonly stepsHere: () => number } {
  let taken = 0
  const explain: BodyCall = (body, today, budget) => {
    assert.ok(budget)
    const counted = new Counted(budget)
    try {
      return deployment.scorer.explain(body, today, counted)
    } finally {
      taken += counted.steps
    }
  }
  const lines: Deployment['scorer']['lines'] = {
    ...deployment.scorer.lines,
    explain(chunk, today, place, budget) {
      assert.ok(budget)
      const counted = new Counted(budget)
      try {
        return deployment.scorer.lines.explain(chunk, today, place, counted)
      } finally {
        taken += counted.steps
      }
    },
  }
  return { own: { ...deployment, scorer: { ...deployment.scorer, explain, lines } }, stepsHere: () => taken }
}

test('982 bytes that take much work are answered by a worker; this thread takes a few steps only', async () => {
  const body = emptyRecords(90)
  assert.equal(body.length, 982)
  const { own, stepsHere } = watched()
  const { bytes, digest } = await dispatcher.answer(own, 'explain', Buffer.from(body), TODAY)
  assert.ok(digest !== undefined, 'only workers send a digest')
  assert.ok(stepsHere() <= BUDGET_STEPS, `${stepsHere()} steps here`)
  assert.deepEqual(Buffer.from(bytes), Buffer.from(deployment.scorer.explain(Buffer.from(body), TODAY).bytes))
})

test('the same records as lines of a stream', async () => {
  const lines = Buffer.from(Array.from({ length: 50 }, (_, at) => `{"idx":${at}}\n`).join(''))
  assert.ok(lines.length < 1_024)
  const { own, stepsHere } = watched()
  const place = { first: 0, duplicates: new Set<number>() }
  const { bytes, tally } = await dispatcher.answerLines(own, 'explain', Buffer.from(lines), TODAY, place)
  assert.equal(tally.records, 50)
  assert.ok(stepsHere() <= BUDGET_STEPS, `${stepsHere()} steps here`)
  assert.deepEqual(
    Buffer.from(bytes),
    Buffer.from(deployment.scorer.lines.explain(lines, TODAY, place).bytes),
  )
})

test('one record that is cheap to explain stays in this thread', async () => {
  const { own } = watched()
  const record = '[{"idx":1,"age":80,"inpatientAdmissions":1,"emergencyAdmissions":0}]'
  const { digest } = await dispatcher.answer(own, 'explain', Buffer.from(record), TODAY)
  assert.equal(digest, undefined)
})

function expectRefusal(act: () => void, code: string): void {
  assert.throws(act, (error: AppError) => {
    assert.equal(error.code, code)
    assert.match(error.detail, /Send fewer records in a request\.$/)
    return true
  })
}

atLimit('work to explain all records of a request', around(REQUEST_STEPS), (steps, isTaken) => {
  const budget = new RequestBudget()
  const work = (): void => {
    for (let taken = 0; taken < steps; taken += RECORD_STEPS)
      budget.work(Math.min(RECORD_STEPS, steps - taken))
  }
  if (isTaken) work()
  else expectRefusal(work, 'TOO_MANY_RECORDS')
})

atLimit('bytes of an answer', around(64 * 1024 * 1024), (bytes, isPermitted) => {
  const budget = new RequestBudget()
  if (isPermitted) budget.step(bytes)
  else expectRefusal(() => budget.step(bytes), 'BODY_TOO_LARGE')
})

test('a request beyond its steps is refused as a whole, and no record loses its range to another one', () => {
  const explainAll = (count: number, budget: WorkBudget): readonly { readonly range: unknown }[] => {
    const records = Array.from({ length: count }, (_, idx) => ({ idx, emergencyAdmissions: 0 }))
    const { bytes } = deployment.scorer.explain(Buffer.from(JSON.stringify(records)), TODAY, budget)
    return JSON.parse(Buffer.from(bytes).toString()) as { readonly range: unknown }[]
  }
  const all = new Counted(new RequestBudget())
  explainAll(20, all)
  assert.ok(all.steps > 0)
  /** What is left of the request, after other records, is enough for 20. */
  const leftForTwenty = (): RequestBudget => {
    const budget = new RequestBudget()
    budget.work(REQUEST_STEPS - all.steps)
    return budget
  }
  assert.ok(explainAll(20, leftForTwenty()).every(({ range }) => range !== null))
  assert.throws(() => explainAll(21, leftForTwenty()), { code: 'TOO_MANY_RECORDS' })
})

const JOBS: readonly (readonly [string, object])[] = [
  ['a body', { body: Buffer.from(emptyRecords(90)) }],
  [
    'lines',
    { body: Buffer.from('{"idx":1}\n{"idx":2}\n{"idx":3}\n'), place: { first: 0, duplicates: new Set() } },
  ],
]
for (const [what, given] of JOBS) {
  test(`a worker stops its work on ${what} as soon as it sees that the caller has left`, () => {
    const answer = scoringJobs(packDeployments(catalog, deployments))
    const job = { deployment: NAME, call: 'explain', today: TODAY, ...given } as const
    let asked = 0
    const hasLeft = (): boolean => ++asked >= 3
    assert.throws(() => answer(job as never, hasLeft), { name: 'Abandoned' })
    assert.equal(asked, 3, 'nothing is done after it')
  })
}

/** Many more would only take the worker longer. */
const EXPENSIVE = 400

/** Sends a call of explain over a socket, and waits until a worker has it. */
async function sendExpensive(served: Served): Promise<Socket> {
  const body = emptyRecords(EXPENSIVE)
  const caller = connect({
    port: Number(new URL(served.origin).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  })
  caller.on('error', () => undefined)
  caller.write(
    `POST /${NAME}${SCORE}/explain HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.key}\r\n` +
      `Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await until(async () => (await served.get('/metrics')).text.includes('patient_risk_requests_in_flight 1'))
  return caller
}

/** A worker that is busy until the caller has left, so that no caller leaves too late. */
class Held extends ScoringDispatcher {
  override async answer(...given: Parameters<ScoringDispatcher['answer']>): Promise<BodyAnswer> {
    const caller = given[4] as Caller
    await new Promise<void>((resolve) => caller.left.addEventListener('abort', () => resolve()))
    return dispatcher.answer(...given)
  }
}

/** Connections without progress are not cut off: that would look like a caller that has left. */
const PATIENT_SETTINGS = {
  ...DEFAULT_SERVER_SETTINGS,
  times: { ...DEFAULT_SERVER_SETTINGS.times, stallMs: 600_000 },
}

test('a caller that leaves is noticed, its request is logged as hung up, and everybody else is answered', async () => {
  const served = await serve({
    service: { catalog, deployments, dispatcher: new Held(), settings: PATIENT_SETTINGS },
  })
  try {
    const caller = await sendExpensive(served)
    caller.destroy()
    const logged = (): Readonly<Record<string, unknown>> | undefined =>
      served.logLines().find(({ event, method }) => event === 'request' && method === 'POST')
    const { status, code, ended } = await until(logged, { what: 'the line of the caller that has left' })
    assert.deepEqual([status, code, ended], [400, 'REQUEST_INVALID', 'hung up'])
    assert.equal((await served.get('/health/live')).status, 200)
  } finally {
    await served.close()
  }
})

test('a caller that has only closed its sending side still gets its answer', async () => {
  const served = await serve({ service: { catalog, deployments, dispatcher, settings: PATIENT_SETTINGS } })
  try {
    const caller = await sendExpensive(served)
    caller.end()
    const chunks: Buffer[] = []
    caller.on('data', (chunk: Buffer) => void chunks.push(chunk))
    await once(caller, 'end')
    const text = Buffer.concat(chunks).toString()
    assert.match(text, /^(HTTP\/1\.1 100 Continue\r\n\r\n)*HTTP\/1\.1 200 OK\r\n/)
    assert.equal(text.match(/"range-not-computed"/g)?.length, EXPENSIVE)
  } finally {
    await served.close()
  }
})

test('the call of the issue over HTTP: 90 records without a range, each with its notice', async () => {
  const served = await serve({ service: { catalog, deployments, dispatcher } })
  try {
    const answer = await served.post(emptyRecords(90), { path: `/${NAME}${SCORE}/explain` })
    assert.equal(answer.status, 200)
    assert.equal(answer.text.match(/"code":"range-not-computed"/g)?.length, 90)
    assert.equal(answer.text.match(/"range":null/g)?.length, 90)
    const lines = Array.from({ length: 90 }, (_, at) => `{"idx":${at + 1}}\n`).join('')
    const streamed = await served.post(lines, {
      path: `/${NAME}${SCORE}/explain`,
      headers: { 'content-type': 'application/x-ndjson' },
    })
    assert.equal(`[${streamed.text.trim().replaceAll('\n', ',')}]`, answer.text)
  } finally {
    await served.close()
  }
})
