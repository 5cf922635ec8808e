/** What a specification says of the model to be fitted: as a model's file, but for the numbers that the fit finds. */
import Type from 'typebox'
import { Card, Input, Threshold } from '../../definition/model.ts'
import { Licence, Source } from '../../definition/scale.ts'
import { PointsBand } from '../../definition/term.ts'

const closed = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const label = Type.Optional(text)
const field = text
const per = Type.Optional(Type.Number({ exclusiveMinimum: 0 }))

export const LinearSpec = Type.Object({ kind: Type.Literal('linear'), label, field, per }, closed)
export const SquareSpec = Type.Object({ kind: Type.Literal('square'), label, field, per }, closed)
export const LogarithmSpec = Type.Object(
  { kind: Type.Literal('logarithm'), label, field, plus: Type.Number({ minimum: 0 }) },
  closed,
)
export const CategorySpec = Type.Object(
  {
    kind: Type.Literal('category'),
    label,
    field,
    reference: Type.String({ description: 'The code that takes no points.' }),
    unseen: Type.Optional(
      Type.Record(Type.String(), Type.Object({ of: text, times: Type.Number() }, closed), {
        description: 'What a code that the data do not have takes: so many times the points of another.',
      }),
    ),
  },
  closed,
)
export const BandedSpec = Type.Object(
  {
    kind: Type.Literal('banded'),
    label,
    field,
    bands: Type.Array(Type.Omit(PointsBand, ['points'], closed), { minItems: 2 }),
    reference: Type.Optional(Type.Integer({ minimum: 0, description: 'The band without points, from 0.' })),
  },
  closed,
)
export const FlagSpec = Type.Object({ kind: Type.Literal('flag'), label, field }, closed)
export const SplineSpec = Type.Object(
  {
    kind: Type.Literal('spline'),
    label,
    field,
    knots: Type.Union(
      [Type.Integer({ minimum: 3, maximum: 7 }), Type.Array(Type.Number(), { minItems: 3 })],
      {
        description: 'Where the pieces meet, or how many knots to put at quantiles of the data.',
      },
    ),
  },
  closed,
)

const SimpleSpec = Type.Union([
  LinearSpec,
  SquareSpec,
  LogarithmSpec,
  CategorySpec,
  BandedSpec,
  FlagSpec,
  SplineSpec,
])
/** An interaction: one estimate for each pair of columns of its two factors. */
export const ProductSpec = Type.Object(
  { kind: Type.Literal('product'), label, factors: Type.Array(SimpleSpec, { minItems: 2, maxItems: 2 }) },
  closed,
)

export const TermSpec = Type.Union([...SimpleSpec.anyOf, ProductSpec])

/** The card's texts may name figures of the fit in braces, for example {rows} and {cStatistic}. */
const CardSpec = Type.Object(
  {
    ...Card.properties,
    development: Type.Optional(text),
    discrimination: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Union([Type.Number(), text])), {
        description: 'Figures on other data, after those of the fit, which come first by themselves.',
      }),
    ),
    calibration: Type.Optional(text),
  },
  closed,
)

export const ModelSpecification = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z][a-z0-9-]*$' }),
    version: Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' }),
    title: text,
    card: CardSpec,
    scales: Type.Optional(Type.Record(Type.String(), Type.Integer())),
    inputs: Type.Record(Type.String(), Input),
    terms: Type.Array(TermSpec, { minItems: 1 }),
    threshold: Type.Optional(Type.Object({ ...Threshold.properties, cost: Type.Optional(text) }, closed)),
    source: Source,
    licence: Licence,
  },
  closed,
)

export const FitOptions = Type.Object(
  {
    decimals: Type.Optional(
      Type.Integer({ minimum: 3, maximum: 15, description: 'Of each coefficient in the file.' }),
    ),
    clustered: Type.Optional(
      Type.Boolean({ description: 'Standard errors that allow for several rows of a patient.' }),
    ),
    ridge: Type.Optional(
      Type.Object({ folds: Type.Optional(Type.Integer({ minimum: 2, maximum: 50 })) }, closed),
    ),
    bootstrap: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10_000, description: 'Samples; 0 for none.' }),
    ),
    seed: Type.Optional(Type.Integer()),
  },
  closed,
)

export type SimpleSpecification = Type.Static<typeof SimpleSpec>
export type TermSpecification = Type.Static<typeof TermSpec>
export type ModelSpecificationType = Type.Static<typeof ModelSpecification>
export type FitOptionsType = Type.Static<typeof FitOptions>
