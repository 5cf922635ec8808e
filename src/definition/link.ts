/** How the sum of a model's points becomes a probability. */
import Type from 'typebox'
import { closed, oneOf } from './shape.ts'

const probability = Type.Number({ minimum: 0, maximum: 1 })

const originals = {
  logistic: { intercept: Type.Number() },
  scoreTable: {
    from: Type.Integer({ description: 'The score of the first row.' }),
    risks: Type.Array(probability, { minItems: 1, description: 'One risk a score, in steps of one.' }),
  },
  strata: {
    strata: Type.Array(
      closed({
        from: Type.Integer(),
        to: Type.Integer(),
        risk: probability,
        events: Type.Optional(Type.Integer({ minimum: 0 })),
        of: Type.Optional(Type.Integer({ minimum: 1 })),
        label: Type.Optional(Type.String()),
      }),
      { minItems: 1 },
    ),
  },
  /** Risk is one minus survival, and survival is the baseline to the power of e^(rate × score). */
  survival: {
    baseline: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
    rate: Type.Number(),
  },
}
const OriginalLink = oneOf('kind', originals)

export const Link = oneOf('kind', {
  ...originals,
  /** Another link brought into line with local outcomes: its log odds times the slope, plus the intercept. */
  recalibrated: {
    of: OriginalLink,
    intercept: Type.Number(),
    slope: Type.Number({ exclusiveMinimum: 0 }),
  },
})

export type OriginalLinkDefinition = Type.Static<typeof OriginalLink>
export type LinkDefinition = Type.Static<typeof Link>
