/** What a specification says of the model to be fitted: as a model's file, but for the numbers that the fit finds. */
import Type from 'typebox'
import { Card, Input, Threshold } from '../../definition/model.ts'
import { Licence, Source } from '../../definition/scale.ts'
import { closed, oneOf, text } from '../../definition/shape.ts'
import { PointsBand } from '../../definition/term.ts'

const label = Type.Optional(text)
const field = text
const per = Type.Optional(Type.Number({ exclusiveMinimum: 0 }))
const knots = [Type.Integer({ minimum: 3, maximum: 7 }), Type.Array(Type.Number(), { minItems: 3 })] as const

const simple = {
  linear: { label, field, per },
  square: { label, field, per },
  logarithm: { label, field, plus: Type.Number({ minimum: 0 }) },
  category: {
    label,
    field,
    reference: Type.String({ description: 'The code that takes no points.' }),
    unseen: Type.Optional(
      Type.Record(Type.String(), closed({ of: text, times: Type.Number() }), {
        description: 'What a code that the data do not have takes: so many times the points of another.',
      }),
    ),
  },
  banded: {
    label,
    field,
    bands: Type.Array(Type.Omit(PointsBand, ['points'], { additionalProperties: false }), { minItems: 2 }),
    reference: Type.Optional(Type.Integer({ minimum: 0, description: 'The band without points, from 0.' })),
  },
  flag: { label, field },
  spline: {
    label,
    field,
    knots: Type.Union([...knots], {
      description: 'Where the pieces meet, or how many knots to put at quantiles of the data.',
    }),
  },
}
const SimpleSpec = oneOf('kind', simple)
const TermSpec = oneOf('kind', {
  ...simple,
  /** An interaction: one estimate for each pair of columns of its two factors. */
  product: { label, factors: Type.Array(SimpleSpec, { minItems: 2, maxItems: 2 }) },
})

/** The card's texts may name figures of the fit in braces, for example {rows} and {cStatistic}. */
const CardSpec = closed({
  ...Card.properties,
  development: Type.Optional(text),
  discrimination: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Union([Type.Number(), text])), {
      description: 'Figures on other data, after those of the fit, which come first by themselves.',
    }),
  ),
  calibration: Type.Optional(text),
})

export const ModelSpecification = closed({
  id: Type.String({ pattern: '^[a-z][a-z0-9-]*$' }),
  version: Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' }),
  title: text,
  card: CardSpec,
  scales: Type.Optional(Type.Record(Type.String(), Type.Integer())),
  inputs: Type.Record(Type.String(), Input),
  terms: Type.Array(TermSpec, { minItems: 1 }),
  threshold: Type.Optional(closed({ ...Threshold.properties, cost: Type.Optional(text) })),
  source: Source,
  licence: Licence,
})

const folds = Type.Optional(Type.Integer({ minimum: 2, maximum: 50 }))
const robust = 'Standard errors that allow for several rows of a patient.'

export const FitOptions = closed({
  decimals: Type.Optional(
    Type.Integer({ minimum: 3, maximum: 15, description: 'Of each coefficient in the file.' }),
  ),
  clustered: Type.Optional(Type.Boolean({ description: robust })),
  ridge: Type.Optional(closed({ folds })),
  bootstrap: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: 'Samples; 0 for none.' }),
  ),
  seed: Type.Optional(Type.Integer()),
})

export type SimpleSpecification = Type.Static<typeof SimpleSpec>
export type TermSpecification = Type.Static<typeof TermSpec>
export type ModelSpecificationType = Type.Static<typeof ModelSpecification>
export type FitOptionsType = Type.Static<typeof FitOptions>
