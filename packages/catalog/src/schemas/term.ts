/** The kinds of term that a model may add up. The engine computes their points. */
import Type from 'typebox'
import { closed, maybe, oneOf, positive, recordOf, some, text } from './shape.ts'

const label = maybe(text)
const field = text
const points = Type.Number()
const coefficient = Type.Number()
const per = maybe(positive)

export const bandEnds = {
  from: maybe(Type.Number(), 'The first value of the band; none means no lower end.'),
  above: maybe(Type.Number(), 'The last value below the band, in place of `from`.'),
  to: maybe(Type.Number(), 'The last value of the band.'),
  below: maybe(Type.Number(), 'The first value above the band, in place of `to`.'),
}
export const PointsBand = closed({ ...bandEnds, points })
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
  /** A part of a fractional polynomial: ((field + plus) / per) to the power of the exponent, times its logarithm if stated. */
  power: {
    label,
    field,
    plus: maybe(Type.Number(), 'Added to the value; 0 if left out.'),
    per,
    exponent: Type.Number({
      minimum: -3,
      maximum: 3,
      multipleOf: 0.5,
      description:
        'From −3 to 3 in steps of a half. 0 is the natural logarithm, as usual for fractional polynomials.',
    }),
    timesLogarithm: maybe(Type.Boolean(), 'Whether the power is multiplied by the natural logarithm.'),
    centre: maybe(Type.Number(), 'Subtracted before the coefficient is applied; 0 if left out.'),
    coefficient,
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

const node = Type.Integer({ minimum: 0 })

/** A question about one field. It has one of `below`, `upTo` and `oneOf`; a value of which it holds goes to `then`. */
const Split = closed({
  field,
  below: maybe(Type.Number(), 'Values below this one go to `then`.'),
  upTo: maybe(Type.Number(), 'Values up to this one, which is included, go to `then`.'),
  oneOf: maybe(
    some(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    'These values go to `then`, as a record writes them.',
  ),
  then: node,
  else: node,
  absent: maybe(
    Type.Union([Type.Literal('then'), Type.Literal('else')]),
    'Where a record without the field goes. Only for inputs whose `whenAbsent` is null.',
  ),
})
const Tree = some(
  Type.Union([Type.Number(), Split]),
  'The nodes, the first one on top. A number is a leaf: its points. Branches are places in this list, from 0.',
)

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
  trees: {
    label,
    combine: Type.Union([Type.Literal('sum'), Type.Literal('mean')]),
    rounding: maybe(
      Type.Union([Type.Literal('none'), Type.Literal('value'), Type.Literal('both')]),
      'Rounded to 32 bits before a comparison: the value, as in scikit-learn, or both sides, as in XGBoost.',
    ),
    trees: some(Tree),
  },
})
