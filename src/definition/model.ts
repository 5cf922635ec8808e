/** What a model's file may say: its card for people, its inputs, its terms and its link. */
import Type from 'typebox'
import { Link } from './link.ts'
import { Profile } from './profile.ts'
import { Licence, Source } from './scale.ts'
import { closed, text } from './shape.ts'
import { Term } from './term.ts'

/** How a model takes one field. Absence is a problem unless `whenAbsent` says what it means, and `why`. */
export const Input = closed({
  from: Type.Optional(
    Type.Number({ description: 'Narrower than the field: values below are out of range.' }),
  ),
  to: Type.Optional(Type.Number()),
  values: Type.Optional(Type.Array(text, { minItems: 1 })),
  meaning: Type.Optional(text),
  whenAbsent: Type.Optional(Type.Union([Type.Number(), Type.Boolean(), Type.String()])),
  why: Type.Optional(text),
})

const Figures = closed({
  data: text,
  cStatistic: Type.Optional(Type.Number()),
  brier: Type.Optional(Type.Number()),
  calibration: Type.Optional(text),
  source: Type.Optional(text),
})

export const Threshold = closed({
  risk: Type.Number({ minimum: 0, maximum: 1 }),
  score: Type.Optional(Type.Number()),
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
  missingData: text,
  development: text,
  discrimination: Type.Array(Figures, { minItems: 1 }),
  calibration: text,
  limits: Type.Array(text, { minItems: 1 }),
  conflicts: Type.Optional(Type.Array(text)),
})

export const ModelFile = closed({
  $schema: Type.Optional(Type.String()),
  id: Type.String({ pattern: '^[a-z][a-z0-9-]*$' }),
  version: Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' }),
  title: text,
  card: Card,
  scales: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      description: 'The scales that the inputs come from, and their versions.',
    }),
  ),
  inputs: Type.Record(Type.String(), Input),
  terms: Type.Array(Term, { minItems: 1 }),
  link: Link,
  threshold: Type.Optional(Threshold),
  profile: Type.Optional(Profile),
  source: Source,
  licence: Licence,
})

export type InputDefinition = Type.Static<typeof Input>
export type CardDefinition = Type.Static<typeof Card>
export type ModelDefinition = Type.Static<typeof ModelFile>
