/** Every kind of FHIR resource that we send, each as a test that holds it against something. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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

const MODELS = ['readmission30', 'lace', 'hospital', 'profund', 'walter', 'inouye', 'charlson10y']
const ODD = bundle(
  patient({ gender: 4, id: undefined }),
  { ...STAY, subject: 'x' },
  observation('a', '718-7', ucum(1e9, 'g/L')),
)
/** Something to note of a patient with a risk and of one without. */
const NOTABLE = [{ birthDate: '1916-01-15' }, { gender: undefined }].map((more) =>
  bundle(patient(more), STAY),
)

/** `hold` throws what is wrong with a resource; `claim` says in the names of the tests what it holds. */
export function testSentResources(
  claim: string,
  hold: (resource: unknown) => void,
  skip: string | false = false,
): void {
  for (const model of MODELS) {
    for (const output of ['number', 'yes-no'] as const) {
      if (model === 'charlson10y' && output === 'yes-no') continue
      test(`answers of ${model} (${output}) ${claim}`, { skip }, () => {
        const source = sourceOf(model, output)
        for (const body of [
          ...['01-complete', '02-missing-birthdate', '03-two-patients'].map(bundleFile),
          ODD,
          ...NOTABLE,
          bundle(),
        ]) {
          hold(answerOf(body, source))
          hold(answerOf(body, source, { history: 'complete', asOf: '2026-11-15' }))
        }
      })
    }
  }

  test(`CapabilityStatement and OperationDefinition ${claim}`, { skip }, () => {
    const { deployments } = makeDeployments(testCatalog(), [
      { name: 'x', basePath: '/', model: 'lace', output: 'number' },
    ])
    for (const deployment of deployments)
      hold(capabilityStatement(deployment, 'https://risk.example.org/fhir'))
    hold(operationDefinition('https://risk.example.org/fhir'))
  })

  test(`the files of the interface ${claim}, and code systems name each code once`, { skip }, async () => {
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

  test(`every refusal is an OperationOutcome; all ${claim}`, { skip }, () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) hold(refusalOutcome(new AppError(code)))
  })
}
