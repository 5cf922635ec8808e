/** What a model's file may say: its card for people, its inputs, its terms and its link. */
import Type from 'typebox'
import { Licence, Source } from './scale.ts'
import { closed, maybe, oneOf, recordOf, some, text } from './shape.ts'
import { Term } from './term.ts'

/** A share or a probability. */
const share = Type.Number({ minimum: 0, maximum: 1 })

/** How a model takes one field. Absence is a problem unless `whenAbsent` says what it means, and `why`. Null: trees tell it apart. */
const Input = closed({
  from: maybe(Type.Number(), 'Narrower than the field: values below are out of range.'),
  to: maybe(Type.Number()),
  values: maybe(some(text)),
  meaning: maybe(text),
  whenAbsent: maybe(
    Type.Union([Type.Number(), Type.Boolean(), Type.String(), Type.Null()]),
    'The value that stands for absence; null where each split of a tree says where an absent value goes.',
  ),
  why: maybe(text),
})

const Figures = closed({
  data: text,
  cStatistic: maybe(Type.Number()),
  brier: maybe(Type.Number()),
  calibration: maybe(text),
  source: maybe(text),
})

export const Threshold = closed({
  risk: share,
  score: maybe(Type.Number()),
  published: Type.Boolean({
    description: 'False when the paper gives no yes/no threshold and this one is ours.',
  }),
  note: text,
  cost: text,
})

/** The model card: one structure for every model. */
export const Card = closed({
  summary: text,
  intendedUse: text,
  users: text,
  population: text,
  setting: text,
  outcome: text,
  horizonDays: Type.Integer({ minimum: 1 }),
  competing: maybe(
    Type.Enum(['none', 'event', 'censored', 'impossible', 'unstated']),
    'What the outcome does with death before it: no event, the event, the end of the observation; impossible where death is the outcome.',
  ),
  missingData: text,
  development: text,
  discrimination: some(Figures),
  calibration: text,
  limits: some(text),
  conflicts: maybe(Type.Array(text)),
})

/** How the sum of the points becomes a probability. */
const originals = {
  logistic: { intercept: Type.Number() },
  /** The score is the probability. */
  identity: {},
  scoreTable: {
    from: Type.Integer({ description: 'The score of the first row.' }),
    risks: some(share, 'One risk a score, in steps of one.'),
  },
  strata: {
    strata: some(
      closed({
        from: Type.Integer(),
        to: Type.Integer(),
        risk: share,
        events: maybe(Type.Integer({ minimum: 0 })),
        of: maybe(Type.Integer({ minimum: 1 })),
        label: maybe(Type.String()),
      }),
    ),
  },
  /** Risk is one minus survival, and survival is the baseline to the power of e^(rate × score). */
  survival: {
    baseline: Type.Number({
      exclusiveMinimum: 0,
      exclusiveMaximum: 1,
      description: 'The share without the event at the horizon when the score is 0.',
    }),
    rate: Type.Number({
      description: 'The log hazard ratio of one point; 1 where the points are log hazards.',
    }),
  },
}
const OriginalLink = oneOf('kind', originals)

const Link = oneOf('kind', {
  ...originals,
  /** Another link, recalibrated to local outcomes: its log odds times the slope, plus the intercept. */
  recalibrated: {
    of: OriginalLink,
    intercept: Type.Number(),
    slope: Type.Number({ exclusiveMinimum: 0 }),
  },
})

const NumberProfile = closed({
  cuts: Type.Array(Type.Number(), {
    description: 'Where one bin ends and the next one starts: a bin holds its lower cut, not its upper one.',
  }),
  shares: some(share, 'One more than cuts, of the rows with a value.'),
  missing: share,
  p01: maybe(Type.Number(), 'The 1st percentile of the values: usual values begin here.'),
  p50: maybe(Type.Number(), 'The median: the value of a typical patient.'),
  p99: maybe(Type.Number(), 'The 99th percentile of the values: usual values end here.'),
  from: maybe(Type.Number(), 'The lowest value of the data, where it may be published.'),
  to: maybe(Type.Number(), 'The highest value of the data, where it may be published.'),
})
const CodeProfile = closed({
  codes: recordOf(share, 'The share of each code, or of true and false.'),
  missing: share,
})

/** How the inputs and the risk were distributed in the data that a model comes from: what drift is measured against. */
const Profile = closed({
  data: Type.String({ minLength: 1, description: 'The data that these shares come from.' }),
  rows: Type.Integer({ minimum: 1 }),
  inputs: recordOf(Type.Union([NumberProfile, CodeProfile])),
  risk: closed({ cuts: Type.Array(share), shares: some(share) }),
  flagged: maybe(closed({ threshold: share, share })),
})

/** How well the data determine the coefficients of a logistic model: what the sampling interval of a risk is worked out from. */
const Estimates = closed({
  columns: some(Term, 'The columns of the regression, each a term with a coefficient or points of 1.'),
  covariance: some(
    some(Type.Number()),
    'Lower triangle of the covariance of the intercept, which comes first, and of the coefficient of each column.',
  ),
})

export const ModelFile = closed({
  $schema: maybe(Type.String()),
  id: Type.String({ pattern: '^[a-z][a-z0-9-]*$' }),
  version: Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' }),
  title: text,
  card: Card,
  scales: maybe(recordOf(Type.Integer()), 'The scales that the inputs come from, and their versions.'),
  inputs: recordOf(Input),
  terms: some(Term),
  link: Link,
  threshold: maybe(Threshold),
  profile: maybe(Profile),
  estimates: maybe(Estimates),
  source: Source,
  licence: Licence,
})
