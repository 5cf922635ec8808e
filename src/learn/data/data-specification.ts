/** What a specification says of the data: the outcome, who is left out, and which column gives which field. */
import Type from 'typebox'
import { closed, text } from '../../definition/shape.ts'

const value = Type.Union([Type.Number(), Type.Boolean(), Type.String()])
const orNull = Type.Union([value, Type.Null()])
const texts = (description?: string): Type.TArray<Type.TString> =>
  Type.Array(Type.String(), { minItems: 1, ...(description === undefined ? {} : { description }) })
const column = (description: string): Type.TOptional<Type.TString> =>
  Type.Optional(Type.String({ description }))

const Outcome = closed({
  column: text,
  yes: texts('What the column says when the event happened.'),
  no: texts('What it says when it did not.'),
})
/** Rows that have no outcome yet, for drift: each of them counts. */
const NoOutcome = closed({ column: Type.Null() })

/** The column as it is, or with each of its texts translated; null stands for a value that is not there. */
const OneColumn = closed({ column: text, map: Type.Optional(Type.Record(Type.String(), orNull)) })
/** One value when any of the columns starts with one of the codes or equals one, another when none does: diagnoses. */
const CodeColumns = closed({
  columns: Type.Array(text, { minItems: 1 }),
  startsWith: Type.Array(text),
  equals: Type.Optional(Type.Array(text, { description: 'Whole codes, beside those known by their start.' })),
  yes: value,
  no: value,
})
/** The same for every row; null for a value that nobody has. */
const Constant = closed({ constant: orNull })
const ColumnRule = Type.Union([OneColumn, CodeColumns, Constant])

export const DataSpecification = closed({
  noun: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'What a row is, in the plural: encounters, patients. Default: rows.',
    }),
  ),
  outcome: Type.Union([Outcome, NoOutcome]),
  patient: column('The column that names the patient. Rows of one patient are never parted.'),
  exclude: Type.Optional(Type.Array(closed({ column: text, values: texts(), reason: text }))),
  columns: Type.Optional(
    Type.Record(Type.String(), ColumnRule, {
      description: 'For each field where its value comes from. A field that is not named has its own column.',
    }),
  ),
  ends: Type.Optional(
    Type.Record(
      Type.String(),
      closed({ from: Type.Optional(Type.Number()), to: Type.Optional(Type.Number()) }),
      {
        description:
          'The lowest and the highest value of a field, for the profile. They are stated and not taken from the data, because an extreme value may identify a patient.',
      },
    ),
  ),
  missing: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Texts that stand for no value. Default: the empty one, NA, null.',
    }),
  ),
  decimalComma: Type.Optional(
    Type.Boolean({ description: 'Whether 12,5 stands for twelve and a half. Default: false.' }),
  ),
  weights: column('A column that says how much each row counts: a number above 0.'),
  splitBy: column('A column, such as the site or the year, by whose values the model is validated.'),
  competing: Type.Optional(
    closed(
      { column: text, values: texts() },
      { description: 'Rows in which another event, such as death, happened before the outcome could.' },
    ),
  ),
  groups: Type.Optional(
    Type.Array(text, { description: 'Columns by which figures are given apart, beside sex and age.' }),
  ),
})

export type ColumnRuleSpecification = Type.Static<typeof ColumnRule>
export type DataSpecificationType = Type.Static<typeof DataSpecification>

export const MISSING_TEXTS: readonly string[] = ['', 'NA', 'null']
