/** The specification file of `patient-risk learn`: the meaning of the data, and the model to fit. */
import Type from 'typebox'
import { readClinicalFile, hasShape } from '@patient-risk/catalog'
import { FaultList, type ModelDefinition, faultLine } from 'patient-risk-engine/definition'
import {
  Card,
  ModelFile,
  Threshold,
  closed,
  maybe,
  oneOf,
  positive,
  recordOf,
  some,
  text,
  PointsBand,
} from '@patient-risk/catalog/schemas'
import { DataError } from '../../tables/data-error.ts'

const value = Type.Union([Type.Number(), Type.Boolean(), Type.String()])
const orNull = Type.Union([value, Type.Null()])

const OutcomeColumn = closed({
  column: text,
  yes: some(Type.String(), 'What the column says when the event happened.'),
  no: some(Type.String(), 'What it says when it did not.'),
})
/** Rows that have no outcome yet, for drift: each of them counts. */
const NoOutcome = closed({ column: Type.Null() })

const codes = (description: string) => maybe(some(Type.String()), description)
/** How long each row was followed and what ended it, in place of an outcome of yes or no. */
const FollowUpColumns = closed({
  time: maybe(text, 'The column with the days from the prediction to the end of the follow-up.'),
  status: maybe(text, 'The column that says what ended the follow-up.'),
  censored: codes('What it says where the row was followed that long, and nothing happened. Default: 0.'),
  event: codes('What it says where the outcome of the model happened then. Default: 1.'),
  diedFirst: codes('What it says where the patient died before the outcome could happen. Default: 2.'),
})

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
  outcome: Type.Union([OutcomeColumn, NoOutcome]),
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
  followUp: maybe(FollowUpColumns, 'For learn validate --time: times of follow-up in place of the outcome.'),
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
  terms: maybe(some(TermSpec), 'Left out where a model file gives them.'),
  threshold: maybe(closed({ ...Threshold.properties, cost: maybe(text) })),
})

const FitOptions = closed({
  decimals: maybe(Type.Integer({ minimum: 3, maximum: 15 }), 'Of each coefficient in the file.'),
  clustered: maybe(Type.Boolean(), 'Standard errors allow for several rows of a patient. Default: true.'),
  ridge: maybe(closed({ folds: maybe(Type.Integer({ minimum: 2, maximum: 50 })) })),
  bootstrap: maybe(Type.Integer({ minimum: 0, maximum: 10_000 }), 'Samples; 0 for none.'),
  seed: maybe(Type.Integer()),
})

const given = Type.Union([Type.Number(), Type.String(), Type.Null()])

/** What a feature of a model file is in our fields. */
const Feature = closed({
  field: maybe(text, 'The field that it comes from; without it, the field of the same name.'),
  is: maybe(
    Type.Array(value),
    'The feature is 1 where the field is one of these values, and 0 elsewhere. None of them: it tells a gap, by `absent`.',
  ),
  otherwise: maybe(given, 'Instead of that 0; null where the model was given no value, as in sparse data.'),
  values: maybe(
    recordOf(given),
    'What the model was given for a code or for true and false, where it is not the same; null for no value.',
  ),
  order: maybe(
    some(text),
    'The codes of the feature by their numbers, from 0, where the file has numbers only.',
  ),
  absent: maybe(
    given,
    'What the model was given where the field is absent, such as -999. Without it, no value.',
  ),
})

/** What a model file leaves out. */
const Import = closed({
  features: maybe(recordOf(Feature)),
  rows: maybe(
    Type.Enum(['training', 'local', 'proof']),
    'What the rows are: the data that the model was trained on, patients of the place that will use it, or rows that only prove the import. The first two give the model its profile. Default: proof.',
  ),
  trees: maybe(Type.Integer({ minimum: 1 }), 'How many trees are used, from the first on. Default: all.'),
  event: maybe(text, 'The class whose probability is the risk.'),
  horizon: maybe(positive, 'When the risk is asked for, in the units of time of a Cox model.'),
  baseline: maybe(
    Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
    'The share without the event at the horizon where the hazard ratio is 1, for a Cox model without a baseline.',
  ),
  link: maybe(ModelFile.properties.link, 'How the points of a scorecard become a risk.'),
})

export const SpecificationFile = closed({
  $schema: maybe(Type.String()),
  data: DataSpecification,
  model: maybe(ModelSpecification),
  import: maybe(Import),
  fit: maybe(FitOptions),
})

/** What a fitted model's folder calls the specification that it was made with. */
export const SPECIFICATION_FILE = 'specification.json'

export const MISSING_TEXTS: readonly string[] = ['', 'NA', 'null']

export type DataSpecificationType = Type.Static<typeof DataSpecification>
export type SimpleSpecification = Type.Static<typeof SimpleSpec>
export type TermSpecification = Type.Static<typeof TermSpec>
/** The terms are empty where a model file gives them. */
type WrittenModel = Type.Static<typeof ModelSpecification>
export interface ModelSpecification extends Omit<WrittenModel, 'terms' | 'inputs'> {
  readonly inputs: ModelDefinition['inputs']
  readonly terms: NonNullable<WrittenModel['terms']>
}
export type ImportPart = Type.Static<typeof Import>
export type FeatureSpecification = Type.Static<typeof Feature>
export type FitOptions = Type.Static<typeof FitOptions>
type Parts = Type.Static<typeof SpecificationFile>
export interface Specification extends Omit<Parts, '$schema' | 'model'> {
  readonly model?: ModelSpecification
}

/** A file that people write, read with the care of a clinical one: a key that is written twice is refused too. */
export function readSpecification(path: string): Specification {
  const faults = new FaultList(path)
  const file = readClinicalFile(path, faults.faults)
  if (file === undefined && faults.faults.length === 0)
    faults.add('', 'file-missing', 'there is no such file')
  addOpenPlaces(file?.value, faults)
  if (faults.faults.length > 0) throw new DataError(faults.faults.map(faultLine))
  return checkSpecification(file?.value, path)
}

/** A text of a template that has not been replaced begins with it. */
export const TODO = 'TODO'

function addOpenPlaces(value: unknown, faults: FaultList): void {
  if (typeof value === 'string' && value.startsWith(TODO)) faults.add('', 'open', value)
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    if (key.startsWith(TODO)) faults.add('', 'open', key)
    else addOpenPlaces(part, faults.at(`/${key}`))
  }
}

export function checkSpecification(value: unknown, path = 'specification'): Specification {
  const faults = new FaultList(path)
  if (!hasShape('specification', { value }, faults)) throw new DataError(faults.faults.map(faultLine))
  const { model, ...rest } = value as Parts
  return { ...rest, ...(model && { model: { ...model, terms: model.terms ?? [] } }) }
}
