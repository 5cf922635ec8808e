/** Worked cases that travel with a scale or a model. A model that fails one of its own is not served. */
import Type from 'typebox'

const closed = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const record = Type.Record(Type.String(), Type.Unknown())
const problem = Type.Object(
  { field: text, kind: Type.Enum(['ValueError', 'ValueMissing']), reason: Type.Optional(text) },
  closed,
)

export const ModelCase = Type.Object(
  {
    name: text,
    record,
    score: Type.Optional(Type.Number()),
    /** The answer's number, rounded as the contract says. */
    risk: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    /** The probability before rounding, held to twelve decimals. */
    unrounded: Type.Optional(Type.Number()),
    /** What a known wrong implementation gives, and we must not. */
    notScore: Type.Optional(Type.Number()),
    notRisk: Type.Optional(Type.Number()),
    problems: Type.Optional(Type.Array(problem)),
    source: text,
  },
  closed,
)
export const ModelCasesFile = Type.Array(ModelCase, { minItems: 1 })

export const ScaleCase = Type.Object(
  {
    name: text,
    record,
    /** Values that the scale computes from the record, by full field name; null when it must not compute one. */
    computed: Type.Optional(Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]))),
    problems: Type.Optional(Type.Array(problem)),
    source: Type.Optional(text),
  },
  closed,
)
export const ScaleCasesFile = Type.Array(ScaleCase, { minItems: 1 })

export type ModelCaseDefinition = Type.Static<typeof ModelCase>
export type ScaleCaseDefinition = Type.Static<typeof ScaleCase>
