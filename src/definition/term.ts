/** The kinds of term that a model may add up. `engine/score/model.ts` computes their points. */
import Type from 'typebox'
import { closed, maybe, oneOf, positive, recordOf, some, text } from './shape.ts'

const label = maybe(text)
const field = text
const points = Type.Number()
const coefficient = Type.Number()
const per = maybe(positive)

export const PointsBand = closed({
  from: maybe(Type.Number(), 'The first value of the band; none means no lower end.'),
  above: maybe(Type.Number(), 'The last value below the band, in place of `from`.'),
  to: maybe(Type.Number(), 'The last value of the band.'),
  below: maybe(Type.Number(), 'The first value above the band, in place of `to`.'),
  points,
})
const bands = some(PointsBand)

/** Every kind that can stand alone and as a factor of a product. */
const simple = {
  linear: { label, field, per, coefficient },
  square: { label, field, per, coefficient },
  logarithm: { label, field, plus: Type.Number({ minimum: 0 }), coefficient },
  category: { label, field, points: recordOf(Type.Number()) },
  banded: { label, field, bands },
  flag: { label, field, points },
  count: {
    label,
    below: recordOf(Type.Number(), 'A field counts when it is below this value.'),
    bands,
  },
  /** A restricted cubic spline: a cubic between the knots, a straight line before the first and after the last. */
  spline: {
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
  absent: {
    label,
    field,
    points: Type.Number({
      description: 'Points when the input is absent and its `whenAbsent` stands in for it.',
    }),
  },
}
const SimpleTerm = oneOf('kind', simple)

export const Term = oneOf('kind', {
  ...simple,
  /** An interaction of two or more terms. */
  product: {
    label,
    factors: Type.Array(SimpleTerm, {
      minItems: 2,
      description: 'Terms whose points are multiplied with each other and with the coefficient.',
    }),
    coefficient,
  },
})

export type PointsBandDefinition = Type.Static<typeof PointsBand>
export type TermDefinition = Type.Static<typeof Term>
export type SimpleTermDefinition = Type.Static<typeof SimpleTerm>
export type LogarithmDefinition = Extract<TermDefinition, { kind: 'logarithm' }>
export type SplineDefinition = Extract<TermDefinition, { kind: 'spline' }>
export type ProductDefinition = Extract<TermDefinition, { kind: 'product' }>
