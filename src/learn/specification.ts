/** The specification file of `patient-risk learn`: what the data say, and what is to be fitted. */
import { readFileSync, statSync } from 'node:fs'
import Type from 'typebox'
import { hasShape } from '../definition/check/check-shape.ts'
import { FaultList, faultLine } from '../definition/fault.ts'
import { Card, Input, Threshold } from '../definition/model.ts'
import { Licence, Source } from '../definition/scale.ts'
import { closed, oneOf, text } from '../definition/shape.ts'
import { PointsBand } from '../definition/term.ts'
import { DataError } from './data/data-error.ts'

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

const DataSpecification = closed({
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

const ModelSpecification = closed({
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

const FitOptions = closed({
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

export const SpecificationFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    data: DataSpecification,
    model: Type.Optional(ModelSpecification),
    fit: Type.Optional(FitOptions),
  },
  { additionalProperties: false },
)

/** What a fitted model's folder calls the specification that it was made with. */
export const SPECIFICATION_FILE = 'specification.json'

export const MISSING_TEXTS: readonly string[] = ['', 'NA', 'null']

export type ColumnRuleSpecification = Type.Static<typeof ColumnRule>
export type DataSpecificationType = Type.Static<typeof DataSpecification>
export type SimpleSpecification = Type.Static<typeof SimpleSpec>
export type TermSpecification = Type.Static<typeof TermSpec>
export type ModelSpecificationType = Type.Static<typeof ModelSpecification>
export type FitOptionsType = Type.Static<typeof FitOptions>
export type Specification = Omit<Type.Static<typeof SpecificationFile>, '$schema'>

export function readSpecification(path: string): Specification {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new DataError([`${path}: there is no such file`])
  }
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new DataError([`${path}: is not well-formed JSON: ${(error as Error).message}`])
  }
  return checkSpecification(value, path)
}

export function checkSpecification(value: unknown, path = 'specification'): Specification {
  const faults = new FaultList(path)
  if (!hasShape(SpecificationFile, value, faults)) throw new DataError(faults.faults.map(faultLine))
  return value as Specification
}
