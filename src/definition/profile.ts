/** How the inputs and the risk were distributed in the data that a model comes from: what drift is measured against. */
import Type from 'typebox'
import { closed } from './shape.ts'

const share = Type.Number({ minimum: 0, maximum: 1 })

export const NumberProfile = closed({
  cuts: Type.Array(Type.Number(), {
    description: 'Where one bin ends and the next one starts: a bin holds its lower cut, not its upper one.',
  }),
  shares: Type.Array(share, { minItems: 1, description: 'One more than cuts, of the rows with a value.' }),
  missing: share,
  from: Type.Optional(
    Type.Number({ description: 'The lowest value of the data, where it may be published.' }),
  ),
  to: Type.Optional(
    Type.Number({ description: 'The highest value of the data, where it may be published.' }),
  ),
})
export const CodeProfile = closed({
  codes: Type.Record(Type.String(), share, {
    description: 'The share of each code, or of true and false.',
  }),
  missing: share,
})

export const Profile = closed({
  data: Type.String({ minLength: 1, description: 'The data that these shares come from.' }),
  rows: Type.Integer({ minimum: 1 }),
  inputs: Type.Record(Type.String(), Type.Union([NumberProfile, CodeProfile])),
  risk: closed({ cuts: Type.Array(share), shares: Type.Array(share, { minItems: 1 }) }),
  flagged: Type.Optional(closed({ threshold: share, share })),
})

export type NumberProfileDefinition = Type.Static<typeof NumberProfile>
export type CodeProfileDefinition = Type.Static<typeof CodeProfile>
export type ProfileDefinition = Type.Static<typeof Profile>
