/** Worked cases that travel with a scale or a model. A model that fails one of its own is not served. */
import Type from 'typebox'
import { closed, maybe, recordOf, some, text } from './shape.ts'

const common = { name: text, record: recordOf(Type.Unknown()) }
const problems = maybe(
  Type.Array(closed({ field: text, kind: Type.Enum(['ValueError', 'ValueMissing']), reason: maybe(text) })),
)

export const ModelCase = closed({
  ...common,
  score: maybe(Type.Number()),
  /** The answer's number, rounded as the contract says. */
  risk: maybe(Type.Union([Type.Number(), Type.Null()])),
  /** The probability before rounding, held to twelve decimals. */
  unrounded: maybe(Type.Number()),
  /** The result of a known wrong implementation, which must not be ours. */
  notScore: maybe(Type.Number()),
  notRisk: maybe(Type.Number()),
  problems,
  source: text,
})
export const ModelCasesFile = some(ModelCase)

export const ScaleCase = closed({
  ...common,
  /** Values that the scale computes from the record, by full field name; null when it must not compute one. */
  computed: maybe(recordOf(Type.Union([Type.Number(), Type.Null()]))),
  problems,
  source: maybe(text),
})
export const ScaleCasesFile = some(ScaleCase)

export type ModelCaseDefinition = Type.Static<typeof ModelCase>
export type ScaleCaseDefinition = Type.Static<typeof ScaleCase>
