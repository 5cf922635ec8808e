/** What `fields.json` may say: the base fields of every record, and the further inputs that models name. */
import Type from 'typebox'

const about = {
  meaning: Type.String({ minLength: 1, description: 'What the value says, for the person who fills it in.' }),
  unit: Type.Optional(Type.String({ minLength: 1 })),
  window: Type.Optional(Type.String({ minLength: 1, description: 'The time that the value covers.' })),
  includes: Type.Optional(Type.String({ minLength: 1 })),
  excludes: Type.Optional(Type.String({ minLength: 1 })),
}
const closed = { additionalProperties: false }

export const IntegerField = Type.Object(
  { type: Type.Literal('integer'), from: Type.Integer(), to: Type.Integer(), ...about },
  closed,
)
export const DecimalField = Type.Object(
  { type: Type.Literal('decimal'), from: Type.Number(), to: Type.Number(), ...about },
  closed,
)
export const CodeField = Type.Object(
  {
    type: Type.Literal('code'),
    values: Type.Record(Type.String(), Type.String(), {
      description: 'Each permitted code and what it means.',
    }),
    ...about,
  },
  closed,
)
export const YesNoField = Type.Object({ type: Type.Literal('yesNo'), ...about }, closed)

/** The shape of one field, chosen by its `type`. */
export const FIELD_SCHEMAS = {
  integer: IntegerField,
  decimal: DecimalField,
  code: CodeField,
  yesNo: YesNoField,
} as const

export const Field = Type.Union([IntegerField, DecimalField, CodeField, YesNoField])
export type FieldDefinition = Type.Static<typeof Field>

export const FieldsFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    version: Type.Integer({ minimum: 1 }),
    base: Type.Optional(Type.Record(Type.String(), Field)),
    inputs: Type.Optional(Type.Record(Type.String(), Field)),
  },
  closed,
)

export interface FieldsDefinition {
  readonly version: number
  readonly base?: Readonly<Record<string, FieldDefinition>>
  readonly inputs?: Readonly<Record<string, FieldDefinition>>
}
