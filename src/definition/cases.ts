/** Worked cases that travel with a scale or a model. A model that fails one of its own is not served. */
import Type from 'typebox'
import { closed, text } from './shape.ts'

const common = { name: text, record: Type.Record(Type.String(), Type.Unknown()) }
const problems = Type.Optional(
  Type.Array(
    closed({ field: text, kind: Type.Enum(['ValueError', 'ValueMissing']), reason: Type.Optional(text) }),
  ),
)

export const ModelCase = closed({
  ...common,
  score: Type.Optional(Type.Number()),
  /** The answer's number, rounded as the contract says. */
  risk: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  /** The probability before rounding, held to twelve decimals. */
  unrounded: Type.Optional(Type.Number()),
  /** The result of a known wrong implementation, which must not be ours. */
  notScore: Type.Optional(Type.Number()),
  notRisk: Type.Optional(Type.Number()),
  problems,
  source: text,
})
export const ModelCasesFile = Type.Array(ModelCase, { minItems: 1 })

export const ScaleCase = closed({
  ...common,
  /** Values that the scale computes from the record, by full field name; null when it must not compute one. */
  computed: Type.Optional(Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]))),
  problems,
  source: Type.Optional(text),
})
export const ScaleCasesFile = Type.Array(ScaleCase, { minItems: 1 })

export type ModelCaseDefinition = Type.Static<typeof ModelCase>
export type ScaleCaseDefinition = Type.Static<typeof ScaleCase>
