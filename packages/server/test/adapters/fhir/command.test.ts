/** The command line for FHIR: a mapping of a hospital's own codes, and audit rows of `$score` that are replayed. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { inFolder, printed, run, runHere, whileServing } from '../../../../../test/support/run-command.ts'
import { loadMapping } from '../../../src/adapters/fhir/load-mapping.ts'
import { type Answer, exchange } from '../../../../../test/support/exchange.ts'
import { CLINICAL_ROOT, testCatalog } from '../../../../../test/support/serve.ts'
import { serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { mapping } from '../../../../../test/support/mapping.ts'
import { type Resource, STAY, bundle, encounter, observation, patient, ucum } from './source.ts'

const CODE = { system: 'https://lab.example.org/codes', code: 'HGB' }
const OWN = {
  take: 'latest',
  resource: 'Observation',
  codes: [CODE],
  path: 'Observation.value',
  unit: 'g/dL',
  window: 'stay',
}

const sex = {
  take: 'first',
  resource: 'Patient',
  paths: ['Patient.gender'],
  values: [{ code: 'w', value: 'W' }],
}
/** An overlay with a fault of each kind, and what `check` says about them. */
const FAULTY = {
  fields: {
    hemoglobin: OWN,
    haemoglobin: { ...OWN, path: 'value..x(' },
    sodium: { ...OWN, unit: 'gm/dL' },
    creatinine: { ...OWN, convert: [{ from: 'mmol/L' }] },
    sex,
  },
  scales: { barthle: {}, barthel: { items: { flying: [CODE] } } },
  outcomes: { lase: [{ ...CODE, display: 'x' }] },
}
const MESSAGES = [
  /\/fields\/hemoglobin.*no such field/,
  /\/fields\/haemoglobin.*not a FHIRPath/,
  /\/fields\/sodium.*not a UCUM unit: gm\/dL/,
  /\/fields\/creatinine.*needs one of multiplyBy and divideBy/,
  /\/fields\/sex.*does not take the value "W"/,
  /\/scales\/barthle.*no such scale/,
  /\/scales\/barthel\/items\/flying.*barthel has no such item/,
  /\/outcomes\/lase.*no such model/,
]
/** What a hospital with codes of its own for the class of an Encounter writes. */
const PART = {
  encounters: { classes: { inpatient: [{ system: 'http://local.example', codes: ['ward'] }] } },
  diagnoses: { groups: { dementia: ['F00'] } },
  outcomes: { lace: [{ ...CODE, display: 'Death or readmission' }] },
}
const forgetful = {
  take: 'any',
  resource: 'Condition',
  groups: ['forgetful'],
  value: true,
  otherwise: false,
}

test('check: an overlay is valid, or every fault is named with its place', async () => {
  await inFolder(async (folder) => {
    const check = (name: string, content: object): ReturnType<typeof run> => {
      const file = join(folder, `${name}.json`)
      writeFileSync(file, JSON.stringify(content))
      return runHere(['check', file])
    }
    const [valid, part, faulty, shape, group] = await Promise.all([
      check('valid', { fields: { haemoglobin: OWN } }),
      check('part', PART),
      check('faulty', FAULTY),
      check('shape', { fields: { haemoglobin: { ...OWN, colour: 'red' } } }),
      check('group', { fields: { dementia: forgetful } }),
    ])
    assert.deepEqual([valid.code, valid.err], [0, ''])
    assert.deepEqual([part.code, part.err], [0, ''])
    assert.match(valid.out, /^Valid: with it \d+ fields are found in FHIR resources\.\n$/)
    assert.deepEqual([faulty.code, shape.code, group.code], [1, 1, 1])
    for (const message of MESSAGES) assert.match(faulty.out + faulty.err, message)
    assert.match(shape.out + shape.err, /\/fields\/haemoglobin.*colour/)
    assert.match(group.out + group.err, /there is no group forgetful/)
  })
})

test('an overlay replaces the entries that it names; their neighbours stay', async () => {
  await inFolder((folder) => {
    const file = join(folder, 'part.json')
    writeFileSync(file, JSON.stringify(PART))
    const { mapping: changed, faults } = loadMapping([CLINICAL_ROOT], testCatalog(), file)
    assert.deepEqual(faults, [])
    const { encounters, diagnoses, fields } = mapping
    assert.deepEqual(changed?.encounters, {
      ...encounters,
      classes: { ...encounters.classes, ...PART.encounters.classes },
    })
    assert.deepEqual(changed.diagnoses, {
      ...diagnoses,
      groups: { ...diagnoses.groups, ...PART.diagnoses.groups },
    })
    assert.deepEqual(changed.fields, fields)
    assert.deepEqual(changed.outcomes, { ...mapping.outcomes, ...PART.outcomes })
    return Promise.resolve()
  })
})

test("serve: a hospital's own codes are found, and a faulty overlay keeps the service from starting", async () => {
  await inFolder(async (folder) => {
    const overlay = join(folder, 'mapping.json')
    const file = join(folder, 'service.json')
    const deployments = [{ name: 'hospital', basePath: '/', model: 'hospital', output: 'number' }]
    writeFileSync(overlay, JSON.stringify({ fields: { haemoglobin: OWN } }))
    writeFileSync(file, JSON.stringify({ fhir: { mapping: overlay }, deployments }))
    const env = { CONFIG: file, DATA_DIR: join(folder, 'data'), PORT: '0' }
    const key = /prk_\S+/.exec((await runHere(['keys', 'create', '--name', 'ward'], env)).out)?.[0] ?? ''
    await whileServing(env, async (child) => {
      const origin =
        /http:\/\/127\.0\.0\.1:\d+/.exec(await printed(child, /http:\/\/127\.0\.0\.1:\d+/))?.[0] ?? ''
      const own = { ...observation('hb', 'x', ucum(11, 'g/dL')), code: { coding: [CODE] } }
      const issuesOf = async (value: Resource): Promise<string> => {
        const answer = await exchange(origin, {
          method: 'POST',
          path: '/fhir/$score?asOf=2026-03-09',
          body: JSON.stringify(bundle(patient(), STAY, value)),
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/fhir+json' },
        })
        assert.equal(answer.status, 200, answer.text)
        return answer.text
      }
      assert.doesNotMatch(await issuesOf(own), /ValueMissing for value haemoglobin/)
      // The entry of the package is replaced, with its codes.
      assert.match(
        await issuesOf(observation('hb', '718-7', ucum(11, 'g/dL'))),
        /ValueMissing for value haemoglobin/,
      )
    })
    writeFileSync(overlay, JSON.stringify({ fields: { haemoglobin: { ...OWN, unit: 'gm/dL' } } }))
    const { code, err } = await runHere(['serve'], env)
    assert.equal(code, 1)
    assert.match(err, /not a UCUM unit/)
  })
})

let served: Awaited<ReturnType<typeof serveAdapters>>
before(async () => {
  served = await serveAdapters()
})
after(() => served.close())

const OLD = encounter('old', 'IMP', '2025-09-10', '2025-09-15')
const BODY = JSON.stringify(bundle(patient(), STAY, OLD, patient({ id: 'q' })))
const HOOK = {
  hook: 'patient-view',
  hookInstance: 'd1577c69-dfbe-44ad-ba6d-3e05e953b2ea',
  context: { userId: 'Practitioner/1', patientId: 'p' },
  prefetch: { patient: patient(), encounters: bundle(STAY, OLD) },
}
const LINES = `${BODY}\n{"a":\n${BODY}`

test('audit replay: a Bundle, one with a query, and lines give the same bytes again; what cannot be is said', async () => {
  const call = (id: string, path: string, body: string, type = 'application/fhir+json'): Promise<Answer> =>
    served.send({ path, body, headers: { 'content-type': type, 'x-request-id': id } })
  const calls = [
    await call('plain', '/fhir/$score', BODY),
    await call('query', '/flag/fhir/$score?history=complete', BODY),
    await call('lines', '/fhir/$score', LINES, 'application/fhir+ndjson'),
    await call('hook', '/cds-services/readmission', JSON.stringify(HOOK), 'application/json'),
  ]
  assert.deepEqual(
    calls.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const replay = (request: string, body: string, ...more: readonly string[]): ReturnType<typeof run> => {
    const file = join(served.dataDir, `${request}${body.length}.json`)
    writeFileSync(file, body)
    return runHere(['audit', 'replay', '--body', file, '--request', request, ...more], {
      DATA_DIR: served.dataDir,
    })
  }
  const [plain, query, lines, hook, withoutQuery, other] = await Promise.all([
    replay('plain', BODY),
    replay('query', BODY, '--query', 'history=complete'),
    replay('lines', LINES),
    replay('hook', JSON.stringify(HOOK)),
    replay('query', BODY),
    replay('plain', `${BODY} `),
  ])
  for (const { code, out, err } of [plain, query, lines]) {
    assert.equal(code, 0, err)
    assert.match(out, /^The same bytes: readmission30@/)
  }
  assert.deepEqual([hook.code, withoutQuery.code, other.code], [1, 1, 1])
  assert.match(hook.err, /The answer to a cds hook cannot be replayed/)
  assert.match(withoutQuery.err, /The answer differs from the recorded one/)
  assert.match(other.err, /not the body/)
})
