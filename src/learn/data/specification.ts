/** The specification file of `patient-risk learn`: the meaning of the data, and the model to fit. */
import { readFileSync, statSync } from 'node:fs'
import Type from 'typebox'
import { hasShape } from '../../files/check-shape.ts'
import { FaultList, faultLine } from '../../definition/fault.ts'
import { Card, ModelFile, Threshold } from '../../definition/model.ts'
import { closed, maybe, oneOf, recordOf, some, text } from '../../definition/shape.ts'
import { PointsBand } from '../../definition/term.ts'
import { DataError } from './data-error.ts'

const value = Type.Union([Type.Number(), Type.Boolean(), Type.String()])
const orNull = Type.Union([value, Type.Null()])

const Outcome = closed({
  column: text,
  yes: some(Type.String(), 'What the column says when the event happened.'),
  no: some(Type.String(), 'What it says when it did not.'),
})
/** Rows that have no outcome yet, for drift: each of them counts. */
const NoOutcome = closed({ column: Type.Null() })

/** The column as it is, or with each of its texts translated; null stands for a value that is not there. */
const OneColumn = closed({ column: text, map: maybe(recordOf(orNull)) })
/** One value when any of the columns starts with one of the codes or equals one, another when none does: diagnoses. */
const CodeColumns = closed({
  columns: some(text),
  startsWith: Type.Array(text),
  equals: maybe(Type.Array(text), 'Whole codes, in addition to those in `startsWith`.'),
  yes: value,
  no: value,
})
/** The same for every row; null for a value that nobody has. */
const Constant = closed({ constant: orNull })
const ColumnRule = Type.Union([OneColumn, CodeColumns, Constant])

const DataSpecification = closed({
  noun: maybe(text, 'What a row is, in the plural: encounters, patients. Default: rows.'),
  outcome: Type.Union([Outcome, NoOutcome]),
  patient: maybe(Type.String(), 'The column that names the patient. Rows of one patient are never parted.'),
  exclude: maybe(Type.Array(closed({ column: text, values: some(Type.String()), reason: text }))),
  columns: maybe(
    recordOf(ColumnRule),
    'For each field where its value comes from. A field that is not named has its own column.',
  ),
  ends: maybe(
    recordOf(closed({ from: maybe(Type.Number()), to: maybe(Type.Number()) })),
    'The lowest and the highest value of a field, for the profile. They are stated and not taken from the data, because an extreme value may identify a patient.',
  ),
  missing: maybe(
    Type.Array(Type.String()),
    'Texts that stand for no value. Default: the empty one, NA, null.',
  ),
  decimalComma: maybe(Type.Boolean(), 'Whether 12,5 stands for twelve and a half. Default: false.'),
  weights: maybe(Type.String(), 'A column that says how much each row counts: a number above 0.'),
  splitBy: maybe(
    Type.String(),
    'A column, such as the site or the year, by whose values the model is validated.',
  ),
  competing: maybe(
    closed({ column: text, values: some(Type.String()) }),
    'Rows in which another event, such as death, happened before the outcome could.',
  ),
  groups: maybe(
    Type.Array(text),
    'Columns whose groups get figures of their own, in addition to sex and age.',
  ),
})

const label = maybe(text)
const field = text
const per = maybe(Type.Number({ exclusiveMinimum: 0 }))
const knots = [Type.Integer({ minimum: 3, maximum: 7 }), Type.Array(Type.Number(), { minItems: 3 })] as const

const simple = {
  linear: { label, field, per },
  square: { label, field, per },
  logarithm: { label, field, plus: Type.Number({ minimum: 0 }) },
  category: {
    label,
    field,
    reference: Type.String({ description: 'The code that takes no points.' }),
    unseen: maybe(
      recordOf(closed({ of: text, times: Type.Number() })),
      'The points of a code that the data do not have, as a multiple of the points of another code.',
    ),
  },
  banded: {
    label,
    field,
    bands: Type.Array(Type.Omit(PointsBand, ['points'], { additionalProperties: false }), { minItems: 2 }),
    reference: maybe(Type.Integer({ minimum: 0 }), 'The band without points, from 0.'),
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
  development: maybe(text),
  discrimination: maybe(
    Type.Array(recordOf(Type.Union([Type.Number(), text]))),
    'Figures on other data, after those of the fit, which come first by themselves.',
  ),
  calibration: maybe(text),
})

const ModelSpecification = closed({
  ...Type.Omit(ModelFile, ['$schema', 'link', 'profile']).properties,
  card: CardSpec,
  terms: some(TermSpec),
  threshold: maybe(closed({ ...Threshold.properties, cost: maybe(text) })),
})

const FitOptions = closed({
  decimals: maybe(Type.Integer({ minimum: 3, maximum: 15 }), 'Of each coefficient in the file.'),
  clustered: maybe(Type.Boolean(), 'Standard errors allow for several rows of a patient. Default: true.'),
  ridge: maybe(closed({ folds: maybe(Type.Integer({ minimum: 2, maximum: 50 })) })),
  bootstrap: maybe(Type.Integer({ minimum: 0, maximum: 10_000 }), 'Samples; 0 for none.'),
  seed: maybe(Type.Integer()),
})

export const SpecificationFile = closed({
  $schema: maybe(Type.String()),
  data: DataSpecification,
  model: maybe(ModelSpecification),
  fit: maybe(FitOptions),
})

/** What a fitted model's folder calls the specification that it was made with. */
export const SPECIFICATION_FILE = 'specification.json'

export const MISSING_TEXTS: readonly string[] = ['', 'NA', 'null']

export type DataSpecificationType = Type.Static<typeof DataSpecification>
export type SimpleSpecification = Type.Static<typeof SimpleSpec>
export type TermSpecification = Type.Static<typeof TermSpec>
export type ModelSpecification = Type.Static<typeof ModelSpecification>
export type FitOptions = Type.Static<typeof FitOptions>
export type Specification = Omit<Type.Static<typeof SpecificationFile>, '$schema'>

export function readSpecification(path: string): Specification {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new DataError([`${path}: there is no such file`])
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
  if (!hasShape('specification', { value }, faults)) throw new DataError(faults.faults.map(faultLine))
  return value as Specification
}
