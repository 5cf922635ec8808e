/** How the sum of a model's points becomes a probability. */
import Type from 'typebox'

const closed = { additionalProperties: false }
const probability = Type.Number({ minimum: 0, maximum: 1 })

export const LogisticLink = Type.Object({ kind: Type.Literal('logistic'), intercept: Type.Number() }, closed)
export const ScoreTableLink = Type.Object(
  {
    kind: Type.Literal('scoreTable'),
    from: Type.Integer({ description: 'The score of the first row.' }),
    risks: Type.Array(probability, { minItems: 1, description: 'One risk a score, in steps of one.' }),
  },
  closed,
)
export const StrataLink = Type.Object(
  {
    kind: Type.Literal('strata'),
    strata: Type.Array(
      Type.Object(
        {
          from: Type.Integer(),
          to: Type.Integer(),
          risk: probability,
          events: Type.Optional(Type.Integer({ minimum: 0 })),
          of: Type.Optional(Type.Integer({ minimum: 1 })),
          label: Type.Optional(Type.String()),
        },
        closed,
      ),
      { minItems: 1 },
    ),
  },
  closed,
)
/** Risk is one minus survival, and survival is the baseline to the power of e^(rate × score). */
export const SurvivalLink = Type.Object(
  {
    kind: Type.Literal('survival'),
    baseline: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
    rate: Type.Number(),
  },
  closed,
)

export const ORIGINAL_LINK_SCHEMAS = {
  logistic: LogisticLink,
  scoreTable: ScoreTableLink,
  strata: StrataLink,
  survival: SurvivalLink,
} as const
export const OriginalLink = Type.Union([LogisticLink, ScoreTableLink, StrataLink, SurvivalLink])

/** Another link brought into line with local outcomes: its log odds times the slope, plus the intercept. */
export const RecalibratedLink = Type.Object(
  {
    kind: Type.Literal('recalibrated'),
    of: OriginalLink,
    intercept: Type.Number(),
    slope: Type.Number({ exclusiveMinimum: 0 }),
  },
  closed,
)

export const LINK_SCHEMAS = { ...ORIGINAL_LINK_SCHEMAS, recalibrated: RecalibratedLink } as const
export const Link = Type.Union([LogisticLink, ScoreTableLink, StrataLink, SurvivalLink, RecalibratedLink])

export type OriginalLinkDefinition = Type.Static<typeof OriginalLink>
export type LinkDefinition = Type.Static<typeof Link>
