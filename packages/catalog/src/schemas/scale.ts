/** What a scale's file may say. Labels are short words of our own; ranges are computed, never typed. */
import Type from 'typebox'
import { closed, maybe, oneOf, positive, recordOf, some, text } from './shape.ts'
import { PointsBand, bandEnds } from './term.ts'

const name = Type.String({ pattern: '^[a-z][A-Za-z0-9]*$' })
const names = Type.Array(name, { minItems: 1, uniqueItems: true })
const values = some(Type.Number(), 'Every permitted value, in ascending order.')
const note = maybe(text)
const verified = maybe(Type.Boolean())
const number = Type.Number()

const Item = closed({
  label: text,
  values,
  note,
  /** What a value stands for, where a number alone does not say it. */
  meanings: maybe(recordOf(text)),
  verified,
})

/** A measured number: seconds, metres per second, kilograms. Values are multiples of the step. */
const Measure = closed({ label: text, from: number, to: number, step: positive, unit: text, note, verified })

/** A value that is not an item and not added up: schooling, or age points. */
const Context = closed({
  label: text,
  values: Type.Union([values, recordOf(text)]),
  note,
})

const totals = {
  sum: {
    alternatives: maybe(Type.Array(names), 'Of each group exactly one item counts.'),
    hierarchies: maybe(
      Type.Array(closed({ severe: name, replaces: name })),
      'When the severe form scores, the mild one does not.',
    ),
    to: maybe(Type.Number(), 'The highest total; a larger sum counts as this.'),
  },
  grade: { item: name },
  rule: {
    all: some(
      Type.Union([name, closed({ any: names })]),
      'The total is 1 when every part holds, else 0. An item holds when it is above 0.',
    ),
  },
}
const Total = oneOf('kind', totals, [Type.Literal('sum')])

const label = maybe(text)
const decimals = Type.Integer({ minimum: 0, maximum: 6 })
const within = maybe(positive, 'How far a given value may lie from the computed one.')
const byCode = recordOf(Type.Number())
/** A part of the scale, or a field of the record itself. */
const source = Type.String({ pattern: '^(record:)?[a-z][A-Za-z0-9]*$' })

/** A band of readings, and the points that it gives. */
const ReadingBand = closed({
  when: maybe(
    recordOf(Type.Union([Type.Number(), text])),
    'The band holds where these items or context have these values. Without it, always.',
  ),
  ...PointsBand.properties,
})
const exactly = (count: number, description: string) =>
  Type.Array(name, { minItems: count, maxItems: count, description })

const Derived = oneOf('kind', {
  sum: { label, of: names },
  mean: { label, of: names, decimals },
  countAtLeast: { label, of: names, atLeast: number },
  shifted: { label, of: name, by: name, points: byCode, from: number, to: number },
  /** A value divided by a constant: deficits out of 25. */
  quotient: { label, of: name, by: positive, decimals },
  /** A constant divided by a value: metres by seconds. */
  inverse: { label, of: name, numerator: positive, decimals, within },
  /** 1 when the sum of some values is within a range, else 0. */
  sumWithin: { label, of: names, from: number, to: number },
  /** The number of a code, such as stage 6a; or another code. */
  byCode: { label, of: source, values: recordOf(Type.Union([Type.Number(), text])) },
  /** Geriatric Nutritional Risk Index: albumin, and weight as a share (at most 1) of the ideal weight by Lorentz. */
  gnri: {
    label,
    of: exactly(3, 'Albumin in g/L, weight in kg, height in cm.'),
    by: name,
    albumin: number,
    weight: number,
    divisors: recordOf(positive, 'By sex: ideal weight = height − 100 − (height − 150) ÷ divisor.'),
    decimals,
    within,
  },
  /** The points of the band that a reading lies in. */
  banded: { label, of: source, bands: some(ReadingBand) },
  /** Body mass index: weight divided by the square of the height in metres. */
  bodyMassIndex: { label, of: exactly(2, 'Weight in kg, height in cm.'), decimals, within },
  /** How much of a weight was lost, in percent. A gain is no loss. */
  percentLost: { label, of: exactly(2, 'Weight before, weight now, in the same unit.'), decimals, within },
  /** Global score of the Clinical Dementia Rating, by the rules of Morris 1993. */
  cdrGlobal: { label, of: exactly(6, 'Memory, then the five other boxes.') },
})

/** One of several ways to record the same scale. A record says which one it uses. */
const Coding = closed({
  meaning: text,
  shift: maybe(Type.Number(), 'How far every item lies above the values in `items`.'),
  items: maybe(names),
  narrowed: maybe(recordOf(values)),
  total: maybe(Total),
})

/** A label that a total of a plain sum gets for one of its items, in place of that of its band. */
const BandRule = closed({
  anyItem: Type.Number({ description: 'The rule holds when any item has this value.' }),
  from: Type.Number({ description: 'The lowest and the highest total that the rule holds for.' }),
  to: number,
  label: text,
})

/** A band of a figure, as papers print it: below 92, or 0.8 or less. */
const Band = closed({ ...bandEnds, label: text }, { minProperties: 2 })

const BandScheme = closed({
  scheme: text,
  of: maybe(name),
  default: maybe(
    Type.Boolean(),
    'Whether it is used where a deployment chooses none. Without this, the only verified scheme is.',
  ),
  sex: maybe(Type.Enum(['F', 'M']), 'The sex that the bands hold for.'),
  coding: maybe(text, 'The coding that the bands hold for.'),
  age: maybe(
    closed({ from: maybe(number), to: maybe(number) }, { minProperties: 1 }),
    'The age in years that the bands hold for.',
  ),
  given: maybe(name, 'The bands hold where this item, measure or context is given.'),
  absent: maybe(name, 'The bands hold where this item, measure or context is not given.'),
  verified: Type.Boolean(),
  note,
  bands: some(Band),
  rules: maybe(some(BandRule)),
})

/** Items that ask for action by their own value, whatever the total says. */
const RedFlag = closed({
  items: names,
  from: maybe(number, 'The lowest value of an item that asks for action.'),
  to: maybe(number, 'The highest value of an item that asks for action.'),
  text: Type.String({
    minLength: 1,
    description: 'One sentence of our own: what was found, and what is asked for. It is shown as it is.',
  }),
  source: Type.String({ minLength: 1, description: 'Who says so.' }),
})

export const Source = closed({ cite: text, links: maybe(Type.Array(text)) })
export const Licence = closed({ status: text, shipped: text })

export const ScaleFile = closed({
  $schema: maybe(Type.String()),
  id: name,
  version: Type.Integer({ minimum: 1 }),
  title: text,
  purpose: text,
  direction: Type.Enum(['higherIsBetter', 'higherIsWorse', 'categorical']),
  verified: Type.Boolean({ description: 'False when a number in this file could not be confirmed.' }),
  unverified: maybe(some(text), 'What exactly is not confirmed.'),
  items: recordOf(Item),
  measures: maybe(recordOf(Measure)),
  computed: maybe(
    recordOf(Derived),
    'Items, measures and context that follow from other values when they are not given, in this order.',
  ),
  itemMeaning: maybe(text),
  context: maybe(recordOf(Context)),
  codings: maybe(closed({ default: Type.Union([text, Type.Null()]), forms: recordOf(Coding) })),
  subtotals: maybe(recordOf(closed({ label: text, items: names }))),
  total: Total,
  derived: maybe(recordOf(Derived)),
  bands: maybe(Type.Array(BandScheme)),
  redFlags: maybe(some(RedFlag)),
  validDays: maybe(
    Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    'How many days after its date an assessment counts as old; null: never. Without this, 366.',
  ),
  variants: maybe(Type.Array(text)),
  source: Source,
  licence: Licence,
  loinc: maybe(recordOf(text)),
})
