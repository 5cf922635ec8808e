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

/** Another unit of a field: value in the field's own unit = value × `times` ÷ `per`. */
export const Conversion = Type.Object(
  {
    times: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    per: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: "How many of this unit are one of the field's own." }),
    ),
    source: Type.String({ minLength: 1 }),
  },
  closed,
)

/** The units in which a number is written, for fields in which one unit is easily taken for another. */
export const Units = Type.Object(
  {
    unit: Type.String({ minLength: 1, description: "The field's own unit." }),
    usual: Type.Object(
      { from: Type.Number({ exclusiveMinimum: 0 }), to: Type.Number({ exclusiveMinimum: 0 }) },
      {
        ...closed,
        description: "Where the median of hospital patients lies, in the field's own unit.",
      },
    ),
    source: Type.String({ minLength: 1, description: 'Where the usual median comes from.' }),
    others: Type.Record(Type.String(), Conversion, { minProperties: 1 }),
  },
  closed,
)

export const FieldsFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    version: Type.Integer({ minimum: 1 }),
    base: Type.Optional(Type.Record(Type.String(), Field)),
    inputs: Type.Optional(Type.Record(Type.String(), Field)),
    units: Type.Optional(
      Type.Record(Type.String(), Units, {
        description: 'Further units by field; totals and measures of scales too.',
      }),
    ),
  },
  closed,
)

export type UnitsDefinition = Type.Static<typeof Units>
export type FieldsDefinition = Type.Static<typeof FieldsFile>
