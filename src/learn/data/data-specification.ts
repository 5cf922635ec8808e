/** What a specification says of the data: the outcome, who is left out, and which column gives which field. */
import Type from 'typebox'

const closed = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const value = Type.Union([Type.Number(), Type.Boolean(), Type.String()])

export const Outcome = Type.Object(
  {
    column: text,
    yes: Type.Array(Type.String(), {
      minItems: 1,
      description: 'What the column says when the event happened.',
    }),
    no: Type.Array(Type.String(), { minItems: 1, description: 'What it says when it did not.' }),
  },
  closed,
)

/** Rows that have no outcome yet, for drift: each of them counts. */
export const NoOutcome = Type.Object({ column: Type.Null() }, closed)

export const Exclusion = Type.Object(
  { column: text, values: Type.Array(Type.String(), { minItems: 1 }), reason: text },
  closed,
)

/** The column as it is, or with each of its texts translated; null stands for a value that is not there. */
export const OneColumn = Type.Object(
  { column: text, map: Type.Optional(Type.Record(Type.String(), Type.Union([value, Type.Null()]))) },
  closed,
)
/** One value when any of the columns starts with one of the codes or equals one, another when none does: diagnoses. */
export const CodeColumns = Type.Object(
  {
    columns: Type.Array(text, { minItems: 1 }),
    startsWith: Type.Array(text),
    equals: Type.Optional(
      Type.Array(text, { description: 'Whole codes, beside those known by their start.' }),
    ),
    yes: value,
    no: value,
  },
  closed,
)
/** The same for every row; null for a value that nobody has. */
export const Constant = Type.Object({ constant: Type.Union([value, Type.Null()]) }, closed)
export const ColumnRule = Type.Union([OneColumn, CodeColumns, Constant])

export const DataSpecification = Type.Object(
  {
    noun: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'What a row is, in the plural: encounters, patients. Default: rows.',
      }),
    ),
    outcome: Type.Union([Outcome, NoOutcome]),
    patient: Type.Optional(
      Type.String({
        description: 'The column that names the patient. Rows of one patient are never parted.',
      }),
    ),
    exclude: Type.Optional(Type.Array(Exclusion)),
    columns: Type.Optional(
      Type.Record(Type.String(), ColumnRule, {
        description:
          'For each field where its value comes from. A field that is not named has its own column.',
      }),
    ),
    missing: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Texts that stand for no value. Default: the empty one, NA, null.',
      }),
    ),
    decimalComma: Type.Optional(
      Type.Boolean({ description: 'Whether 12,5 stands for twelve and a half. Default: false.' }),
    ),
    weights: Type.Optional(
      Type.String({ description: 'A column that says how much each row counts: a number above 0.' }),
    ),
    splitBy: Type.Optional(
      Type.String({
        description: 'A column, such as the site or the year, by whose values the model is validated.',
      }),
    ),
    competing: Type.Optional(
      Type.Object(
        { column: text, values: Type.Array(Type.String(), { minItems: 1 }) },
        {
          ...closed,
          description: 'Rows in which another event, such as death, happened before the outcome could.',
        },
      ),
    ),
    groups: Type.Optional(
      Type.Array(text, { description: 'Columns by which figures are given apart, beside sex and age.' }),
    ),
  },
  closed,
)

export type ColumnRuleSpecification = Type.Static<typeof ColumnRule>
export type DataSpecificationType = Type.Static<typeof DataSpecification>

export const MISSING_TEXTS: readonly string[] = ['', 'NA', 'null']
