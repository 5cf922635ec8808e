/** What a scale's file may say. Labels are short words of our own; ranges are computed, never typed. */
import Type from 'typebox'
import { closed, oneOf, positive, text } from './shape.ts'

const name = Type.String({ pattern: '^[a-z][A-Za-z0-9]*$' })
const names = Type.Array(name, { minItems: 1, uniqueItems: true })
const values = Type.Array(Type.Number(), {
  minItems: 1,
  description: 'Every permitted value, in ascending order.',
})
const note = Type.Optional(text)
const verified = Type.Optional(Type.Boolean())
const number = Type.Number()

const Item = closed({
  label: text,
  values,
  note,
  /** What a value stands for, where a number alone does not say it. */
  meanings: Type.Optional(Type.Record(Type.String(), text)),
  verified,
})

/** A measured number: seconds, metres per second, kilograms. Values are multiples of the step. */
const Measure = closed({ label: text, from: number, to: number, step: positive, unit: text, note, verified })

/** A value that is not an item and not added up: schooling, or age points. */
const Context = closed({
  label: text,
  values: Type.Union([values, Type.Record(Type.String(), text)]),
  note,
})

const totals = {
  sum: {
    alternatives: Type.Optional(Type.Array(names, { description: 'Of each group exactly one item counts.' })),
    hierarchies: Type.Optional(
      Type.Array(closed({ severe: name, replaces: name }), {
        description: 'When the severe form scores, the mild one does not.',
      }),
    ),
    to: Type.Optional(Type.Number({ description: 'The highest total; a larger sum counts as this.' })),
  },
  grade: { item: name },
  rule: {
    all: Type.Array(Type.Union([name, closed({ any: names })]), {
      minItems: 1,
      description: 'The total is 1 when every part holds, else 0. An item holds when it is above 0.',
    }),
  },
}
const Total = oneOf('kind', totals, [Type.Literal('sum')])

const label = Type.Optional(text)
const decimals = Type.Integer({ minimum: 0, maximum: 6 })
const within = Type.Optional(
  Type.Number({ exclusiveMinimum: 0, description: 'How far a given value may lie from the computed one.' }),
)
const byCode = Type.Record(Type.String(), Type.Number())

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
  /** The number of a code, such as stage 6a. */
  byCode: { label, of: name, values: byCode },
  /** Geriatric Nutritional Risk Index: albumin, and weight as a share (at most 1) of the ideal weight by Lorentz. */
  gnri: {
    label,
    of: Type.Array(name, {
      minItems: 3,
      maxItems: 3,
      description: 'Albumin in g/L, weight in kg, height in cm.',
    }),
    by: name,
    albumin: number,
    weight: number,
    divisors: Type.Record(Type.String(), positive, {
      description: 'By sex: ideal weight = height − 100 − (height − 150) ÷ divisor.',
    }),
    decimals,
    within,
  },
})

/** One of several ways to record the same scale. A record says which one it uses. */
const Coding = closed({
  meaning: text,
  shift: Type.Optional(Type.Number({ description: 'How far every item lies above the values in `items`.' })),
  items: Type.Optional(names),
  narrowed: Type.Optional(Type.Record(Type.String(), values)),
  total: Type.Optional(Total),
})

const BandScheme = closed({
  scheme: text,
  of: Type.Optional(name),
  sex: Type.Optional(Type.Enum(['F', 'M'], { description: 'The sex that the bands hold for.' })),
  verified: Type.Boolean(),
  note,
  bands: Type.Array(closed({ from: number, to: number, label: text }), { minItems: 1 }),
})

export const Source = closed({ cite: text, links: Type.Optional(Type.Array(text)) })
export const Licence = closed({ status: text, shipped: text })

export const ScaleFile = closed({
  $schema: Type.Optional(Type.String()),
  id: name,
  version: Type.Integer({ minimum: 1 }),
  title: text,
  purpose: text,
  direction: Type.Enum(['higherIsBetter', 'higherIsWorse', 'categorical']),
  verified: Type.Boolean({ description: 'False when a number in this file could not be confirmed.' }),
  unverified: Type.Optional(Type.Array(text, { minItems: 1, description: 'What exactly is not confirmed.' })),
  items: Type.Record(Type.String(), Item),
  measures: Type.Optional(Type.Record(Type.String(), Measure)),
  computed: Type.Optional(
    Type.Record(Type.String(), Derived, {
      description: 'Items and measures that follow from other values when they are not given.',
    }),
  ),
  itemMeaning: Type.Optional(text),
  context: Type.Optional(Type.Record(Type.String(), Context)),
  codings: Type.Optional(
    closed({ default: Type.Union([text, Type.Null()]), forms: Type.Record(Type.String(), Coding) }),
  ),
  subtotals: Type.Optional(Type.Record(Type.String(), closed({ label: text, items: names }))),
  total: Total,
  derived: Type.Optional(Type.Record(Type.String(), Derived)),
  bands: Type.Optional(Type.Array(BandScheme)),
  variants: Type.Optional(Type.Array(text)),
  source: Source,
  licence: Licence,
  loinc: Type.Optional(Type.Record(Type.String(), text)),
})

export type TotalDefinition = Type.Static<typeof Total>
export type SumDefinition = Extract<TotalDefinition, { kind: 'sum' }>
export type RuleDefinition = Extract<TotalDefinition, { kind: 'rule' }>
export type DerivedDefinition = Type.Static<typeof Derived>
export type CodingDefinition = Type.Static<typeof Coding>
export type BandSchemeDefinition = Type.Static<typeof BandScheme>
export type ScaleDefinition = Type.Static<typeof ScaleFile>
