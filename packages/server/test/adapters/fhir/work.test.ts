/** Jobs of adapters: a worker stops when the caller has left, and what takes too much work is said in the answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AdapterJob, jobRunner } from '../../../src/adapters/jobs.ts'
import type { WorkBudget } from 'patient-risk-engine'
import { parseBody } from 'patient-risk-engine/read'
import { assess, readOptions } from '../../../src/adapters/fhir/assess.ts'
import { readSubmission } from '../../../src/adapters/fhir/read/body/submission.ts'
import { type CatalogModel, makeDeployments, packDeployments } from '@patient-risk/catalog'
import { productsModel } from '../../../../../test/support/products-model.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { mapping } from '../../../../../test/support/mapping.ts'
import { request } from '../cds-hooks/requests.ts'
import { TODAY, bundle, encounter, patient, sourceOf } from './source.ts'

const known = testCatalog()
const base = known.models.get('readmission30@1.0.4') as CatalogModel
const models = new Map([...known.models, ['products@1.0.0', { ...base, definition: productsModel() }]])
const catalog = { ...known, models }
const { deployments } = makeDeployments(catalog, [
  { name: 'products', basePath: '/', model: 'products', output: 'number' },
  { name: 'cheap', basePath: '/cheap', model: 'readmission30', output: 'number' },
])
const run = jobRunner({ deployments: packDeployments(catalog, deployments), mapping })

const BUNDLE = JSON.stringify(bundle(patient({ birthDate: undefined })))
const HOOK = {
  settings: {
    hooks: ['encounter-discharge'],
    modelUrl: 'http://localhost/model',
    pageUrl: 'http://localhost/',
    mayFetch: false,
    isWide: true,
  },
  body: Buffer.from(JSON.stringify(request({}))),
}
const MANY = 50
const ONE_PATIENT = JSON.stringify(
  bundle(
    patient(),
    ...Array.from({ length: MANY }, (_, at) => encounter(`e${at}`, 'IMP', '2025-09-10', '2025-09-15')),
  ),
)

/** How often a whole job asks whether its caller still waits. */
function countAsked(job: AdapterJob): number {
  let asked = 0
  run(job, () => {
    asked++
    return false
  })
  return asked
}

test('a job asks before its body is parsed, for every entry, and for every field of a patient', () => {
  const common = { deployment: 'cheap', today: TODAY, query: {} }
  const body = Buffer.from(ONE_PATIENT)
  const asked = countAsked({ ...common, kind: 'bundle', body })
  assert.ok(asked > MANY + Object.keys(base.definition.inputs).length / 2, `${asked} times`)
  // Nothing of the body is looked at where the caller has left before the job begins.
  const broken = { ...common, kind: 'bundle', body: Buffer.from('{') } as const
  assert.throws(() => run(broken, () => true), { name: 'Abandoned' })
})

test('lines: it is asked before each of them is parsed, also where parsing fails', () => {
  const lines = 3
  const body = Buffer.from('{\n'.repeat(lines))
  const job = { kind: 'lines', deployment: 'cheap', body, today: TODAY, query: {} } as const
  assert.equal(countAsked(job), 1 + lines)
  let asked = 0
  assert.throws(() => run(job, () => ++asked > lines), { name: 'Abandoned' })
})

test('a patient asks once, for each field and for each scale, and the steps of the explanation are counted', () => {
  const asked = { questions: 0, steps: 0 }
  const budget: WorkBudget = {
    beforeParse: () => undefined,
    step: () => asked.questions++,
    work: (steps) => (asked.steps += steps),
  }
  const own = sourceOf('walter')
  const submission = readSubmission(parseBody(Buffer.from(BUNDLE)))
  assess(submission, { ...own, budget: () => budget }, readOptions(submission, {}, TODAY))
  const { fields, scales } = own.wanted
  assert.ok(fields.length > 0 && scales.length > 0)
  assert.equal(asked.questions, 1 + fields.length + scales.length)
  assert.ok(asked.steps > 0)
})

test('a hook stops at whatever question its caller has left, and no card is made', () => {
  const job = { ...HOOK, kind: 'hook', deployment: 'cheap', today: TODAY } as unknown as AdapterJob
  const all = countAsked(job)
  assert.ok(all > 4, `${all} times`)
  for (let at = 1; at <= all; at++) {
    let asked = 0
    assert.throws(() => run(job, () => ++asked >= at), { name: 'Abandoned' })
    assert.equal(asked, at)
  }
})

const JOBS = [
  ['bundle', BUNDLE],
  ['lines', `${BUNDLE}\n${BUNDLE}\n${BUNDLE}\n`],
] as const
for (const [kind, text] of JOBS) {
  const job = { kind, deployment: 'products', body: Buffer.from(text), today: TODAY, query: {} } as const

  test(`${kind}: a worker stops when the caller has left, and no line answers in its place`, () => {
    let asked = 0
    assert.throws(() => run(job, () => ++asked >= 2), { name: 'Abandoned' })
    assert.equal(asked, 2)
  })

  test(`${kind}: it also stops where explaining the patients takes no steps`, () => {
    assert.throws(() => run({ ...job, deployment: 'cheap' }, () => true), { name: 'Abandoned' })
  })

  test(`${kind}: a range that takes too much work is named in the OperationOutcome`, () => {
    const text = Buffer.from(run(job).bytes).toString()
    assert.match(text, /"diagnostics":"range-not-computed:risk"/)
    assert.doesNotMatch(text, /"diagnostics":"range:/)
  })
}
