/** The numbers that a body gives in each model for the patient with the number 17, or the reasons why a model gives no number. */
import { appErrorOf } from '@patient-risk/runtime'
import { type Scorer, createScorer } from 'patient-risk-engine'
import { model } from '../../../../../../test/support/small-definitions.ts'
import { testCatalog } from '../../../../../../test/support/test-catalog.ts'
import { type Source, assess, readOptions } from '../../../../src/adapters/fhir/assess.ts'
import { wantedBy } from '../../../../src/adapters/fhir/read/read-patient.ts'
import { readSubmission } from '../../../../src/adapters/fhir/read/body/submission.ts'
import { type Resource, TODAY, sourceOf } from '../source.ts'
import { mappingWithMaps } from './maps.ts'
import { DIAGNOSES, TIME_ZONE, type Written } from './true-bundles.ts'
import { whyOf } from '../why-of.ts'

const SHIPPED = ['readmission30', 'lace', 'hospital', 'profund', 'walter', 'inouye', 'charlson10y']
/** Those whose period is over long before today, where nobody names a moment. */
export const MODELS_OF_30_DAYS = ['readmission30', 'lace', 'hospital']
/** A model of NEWS2, which no model of the package takes. */
const NEWS2 = 'news2'
export const MODELS = [...SHIPPED, NEWS2]
const OPTIONS = {
  output: { kind: 'number' },
  maxLineBytes: 1_000_000,
  maxDepth: 32,
  maxRecords: 1_000,
  maxKeys: 1_024,
  reportUnknown: false,
} as const

const MAPPING = mappingWithMaps(DIAGNOSES)
const SOURCES = new Map(
  [
    ...SHIPPED.map((model) => ({ model, source: { ...sourceOf(model), mapping: MAPPING } })),
    { model: NEWS2, source: news2Source() },
  ].map(({ model, source }) => [model, { ...source, scorer: withoutExplanation(source.scorer) }] as const),
)

function news2Source(): Source {
  const { definitions } = testCatalog()
  const definition = model(
    { news2_total: {} },
    [{ kind: 'linear', field: 'news2_total', coefficient: 0.1 }],
    { id: 'news2', link: { kind: 'logistic', intercept: -2 } },
  )
  const base = sourceOf('readmission30')
  const scorer = createScorer(definitions, definition, OPTIONS)
  return { ...base, model: definition, scorer, wanted: wantedBy(definition, definitions) }
}

/** What a risk rests on takes longer than the risk, and is not looked at here. */
function withoutExplanation(scorer: Scorer): Scorer {
  const restsOn: Scorer['restsOn'] = () => ({ explanation: null, scales: [], notices: [], range: null })
  return { ...scorer, restsOn }
}

export interface Outcome {
  readonly risk: number | undefined
  readonly why: string
}

/** By the name of the model. A body that is refused as a whole gives no number in any of them. */
export function numbersOf({ body, query }: Written, models = MODELS): ReadonlyMap<string, Outcome> {
  try {
    const submission = readSubmission(JSON.parse(JSON.stringify(body)), TIME_ZONE)
    const options = readOptions(submission, query, TODAY)
    const found = models.map((name) => {
      const { assessed } = assess(submission, SOURCES.get(name) as Source, options)
      const own = assessed.find(({ subject }) => isSeventeen(subject.patient.resource))
      const problems = own?.problems.map(
        ({ field, message }) => `${message} ${whyOf(own.findings.get(field))}`,
      )
      const why =
        own?.refusal === undefined
          ? (problems?.join('; ') ?? 'The Patient is not in the answer.')
          : whyOf(own.refusal)
      return [name, { risk: own?.risk, why }] as const
    })
    return new Map(found)
  } catch (error) {
    const refusal = appErrorOf(error)
    if (refusal === undefined) throw error
    return new Map(models.map((name) => [name, { risk: undefined, why: refusal.detail }]))
  }
}

function isSeventeen({ identifier }: Resource): boolean {
  return ([identifier ?? []].flat() as Resource[]).some((each) => each['value'] === '17')
}

/** What a change must leave: the number, the number or a reason, or only a reason in some models. */
export interface Expected {
  readonly mustStay: boolean
  readonly gone?: readonly string[] | undefined
}

/** What is wrong with the numbers after a change: one that differs, or one that is gone without a reason. Empty where all is well. */
export function faultsBetween(
  known: Readonly<Record<string, number>>,
  after: ReadonlyMap<string, Outcome>,
  { mustStay, gone = [] }: Expected,
): readonly string[] {
  return [...after].flatMap(([name, { risk, why }]) => {
    const before = known[name]
    if (risk === undefined && why.trim() === '') return [`${name}: no number and no reason`]
    if (risk === undefined) return mustStay ? [`${name}: ${String(before)} is gone: ${why}`] : []
    if (gone.includes(name)) return [`${name}: ${risk}, where there is no number`]
    return risk === before ? [] : [`${name}: ${String(before)} has become ${risk}`]
  })
}
