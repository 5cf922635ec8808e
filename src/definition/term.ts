/** The kinds of term that a model may add up. `engine/score/term.ts` computes their points. */
import Type from 'typebox'

const closed = { additionalProperties: false }
const field = Type.String({ minLength: 1 })
const label = Type.Optional(Type.String({ minLength: 1 }))
const coefficient = Type.Number()

export const PointsBand = Type.Object(
  {
    from: Type.Optional(
      Type.Number({ description: 'The first value of the band; none means no lower end.' }),
    ),
    above: Type.Optional(Type.Number({ description: 'The last value below the band, in place of `from`.' })),
    to: Type.Optional(Type.Number({ description: 'The last value of the band.' })),
    below: Type.Optional(Type.Number({ description: 'The first value above the band, in place of `to`.' })),
    points: Type.Number(),
  },
  closed,
)
const bands = Type.Array(PointsBand, { minItems: 1 })

export const LinearTerm = Type.Object(
  {
    kind: Type.Literal('linear'),
    label,
    field,
    per: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    coefficient,
  },
  closed,
)
export const SquareTerm = Type.Object(
  {
    kind: Type.Literal('square'),
    label,
    field,
    per: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    coefficient,
  },
  closed,
)
export const LogarithmTerm = Type.Object(
  { kind: Type.Literal('logarithm'), label, field, plus: Type.Number({ minimum: 0 }), coefficient },
  closed,
)
export const CategoryTerm = Type.Object(
  { kind: Type.Literal('category'), label, field, points: Type.Record(Type.String(), Type.Number()) },
  closed,
)
export const BandedTerm = Type.Object({ kind: Type.Literal('banded'), label, field, bands }, closed)
export const FlagTerm = Type.Object(
  { kind: Type.Literal('flag'), label, field, points: Type.Number() },
  closed,
)
export const CountTerm = Type.Object(
  {
    kind: Type.Literal('count'),
    label,
    below: Type.Record(Type.String(), Type.Number(), {
      description: 'A field counts when it is below this value.',
    }),
    bands,
  },
  closed,
)

/** A restricted cubic spline: a cubic between the knots, a straight line before the first and after the last. */
export const SplineTerm = Type.Object(
  {
    kind: Type.Literal('spline'),
    label,
    field,
    knots: Type.Array(Type.Number(), {
      minItems: 3,
      description: 'Where the pieces meet, in ascending order.',
    }),
    coefficients: Type.Array(Type.Number(), {
      minItems: 2,
      description: 'One less than knots: of the reading itself, then of each cubic part.',
    }),
  },
  closed,
)
export const AbsentTerm = Type.Object(
  { kind: Type.Literal('absent'), label, field, points: Type.Number() },
  { ...closed, description: 'Points when the input is absent and its `whenAbsent` stands in for it.' },
)

/** Every kind that can stand alone and as a factor of a product. */
export const SIMPLE_TERM_SCHEMAS = {
  linear: LinearTerm,
  square: SquareTerm,
  logarithm: LogarithmTerm,
  category: CategoryTerm,
  banded: BandedTerm,
  flag: FlagTerm,
  count: CountTerm,
  spline: SplineTerm,
  absent: AbsentTerm,
} as const
export const SimpleTerm = Type.Union([
  LinearTerm,
  SquareTerm,
  LogarithmTerm,
  CategoryTerm,
  BandedTerm,
  FlagTerm,
  CountTerm,
  SplineTerm,
  AbsentTerm,
])

/** An interaction of two or more terms. */
export const ProductTerm = Type.Object(
  {
    kind: Type.Literal('product'),
    label,
    factors: Type.Array(SimpleTerm, {
      minItems: 2,
      description: 'Terms whose points are multiplied with each other and with the coefficient.',
    }),
    coefficient,
  },
  closed,
)

export const TERM_SCHEMAS = { ...SIMPLE_TERM_SCHEMAS, product: ProductTerm } as const
export const Term = Type.Union([...SimpleTerm.anyOf, ProductTerm])

export type PointsBandDefinition = Type.Static<typeof PointsBand>
export type LogarithmDefinition = Type.Static<typeof LogarithmTerm>
export type SplineDefinition = Type.Static<typeof SplineTerm>
export type SimpleTermDefinition = Type.Static<typeof SimpleTerm>
export type ProductDefinition = Type.Static<typeof ProductTerm>
export type TermDefinition = Type.Static<typeof Term>

/** The fields that a term reads, each once. */
export function fieldsOf(term: TermDefinition): readonly string[] {
  if (term.kind === 'product') return [...new Set(term.factors.flatMap(fieldsOf))]
  return term.kind === 'count' ? Object.keys(term.below) : [term.field]
}
