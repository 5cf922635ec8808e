/** The numbers that a body gives in each model for the patient with the number 17, or the reasons why there is none. */
import { appErrorOf } from '@patient-risk/runtime'
import { parseBody } from 'patient-risk-engine/read'
import { assess, readOptions } from '../../../../src/adapters/fhir/assess.ts'
import { readSubmission } from '../../../../src/adapters/fhir/read/submission.ts'
import { type Resource, TODAY, sourceOf } from '../source.ts'
import { TIME_ZONE, type Written } from './true-bundles.ts'

export const MODELS = ['readmission30', 'lace', 'hospital', 'profund', 'walter', 'inouye', 'charlson10y']
const SOURCES = MODELS.map((model) => ({ model, source: sourceOf(model) }))

export interface Outcome {
  readonly risk: number | undefined
  readonly why: string
}

/** By the name of the model. A body that is refused as a whole gives no number in any of them. */
export function numbersOf({ body, query }: Written, models = MODELS): ReadonlyMap<string, Outcome> {
  try {
    const submission = readSubmission(parseBody(Buffer.from(JSON.stringify(body))), TIME_ZONE)
    const options = readOptions(submission, query, TODAY)
    const found = SOURCES.filter(({ model }) => models.includes(model)).map(({ model, source }) => {
      const { assessed } = assess(submission, source, options)
      const own = assessed.find(({ subject }) => isSeventeen(subject.patient.resource))
      const problems = own?.problems.map(
        ({ field, message }) => `${message} ${own.findings.get(field)?.why ?? ''}`,
      )
      const why = own?.refusal?.why ?? problems?.join('; ') ?? 'The Patient is not in the answer.'
      return [model, { risk: own?.risk, why }] as const
    })
    return new Map(found)
  } catch (error) {
    const refusal = appErrorOf(error)
    if (refusal === undefined) throw error
    return new Map(models.map((model) => [model, { risk: undefined, why: refusal.detail }]))
  }
}

function isSeventeen({ identifier }: Resource): boolean {
  return Array.isArray(identifier) && (identifier as Resource[]).some(({ value }) => value === '17')
}

/** What is wrong with the numbers after a change: one that differs, or one that is gone without a reason. Empty where all is well. */
export function faultsBetween(
  before: ReadonlyMap<string, Outcome>,
  after: ReadonlyMap<string, Outcome>,
  mustStay: boolean,
): readonly string[] {
  return [...after].flatMap(([model, { risk, why }]) => {
    const known = before.get(model)?.risk
    if (risk === undefined && why.trim() === '') return [`${model}: no number and no reason`]
    if (risk === undefined) return mustStay ? [`${model}: ${String(known)} is gone: ${why}`] : []
    return risk === known ? [] : [`${model}: ${String(known)} has become ${risk}`]
  })
}
