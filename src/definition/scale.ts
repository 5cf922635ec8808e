/** What a scale's file may say. Labels are short words of our own; ranges are computed, never typed. */
import Type from 'typebox'

const closed = { additionalProperties: false }
const name = Type.String({ pattern: '^[a-z][A-Za-z0-9]*$' })
const names = Type.Array(name, { minItems: 1, uniqueItems: true })
const text = Type.String({ minLength: 1 })
const values = Type.Array(Type.Number(), {
  minItems: 1,
  description: 'Every permitted value, in ascending order.',
})

export const Item = Type.Object(
  {
    label: text,
    values,
    note: Type.Optional(text),
    /** What a value stands for, where a number alone does not say it. */
    meanings: Type.Optional(Type.Record(Type.String(), text)),
    verified: Type.Optional(Type.Boolean()),
  },
  closed,
)

/** A measured number: seconds, metres per second, kilograms. Values lie on the step. */
export const Measure = Type.Object(
  {
    label: text,
    from: Type.Number(),
    to: Type.Number(),
    step: Type.Number({ exclusiveMinimum: 0 }),
    unit: text,
    note: Type.Optional(text),
    verified: Type.Optional(Type.Boolean()),
  },
  closed,
)

/** A value beside the items that is not added up: schooling, or age points. */
export const Context = Type.Object(
  { label: text, values: Type.Union([values, Type.Record(Type.String(), text)]), note: Type.Optional(text) },
  closed,
)

export const SumTotal = Type.Object(
  {
    kind: Type.Literal('sum'),
    alternatives: Type.Optional(Type.Array(names, { description: 'Of each group exactly one item counts.' })),
    hierarchies: Type.Optional(
      Type.Array(Type.Object({ severe: name, replaces: name }, closed), {
        description: 'When the severe form scores, the mild one does not.',
      }),
    ),
    to: Type.Optional(Type.Number({ description: 'The highest total; a larger sum counts as this.' })),
  },
  closed,
)
export const GradeTotal = Type.Object({ kind: Type.Literal('grade'), item: name }, closed)
export const RuleTotal = Type.Object(
  {
    kind: Type.Literal('rule'),
    all: Type.Array(Type.Union([name, Type.Object({ any: names }, closed)]), {
      minItems: 1,
      description: 'The total is 1 when every part holds, else 0. An item holds when it is above 0.',
    }),
  },
  closed,
)
export const TOTAL_SCHEMAS = { sum: SumTotal, grade: GradeTotal, rule: RuleTotal } as const
export const Total = Type.Union([Type.Literal('sum'), SumTotal, GradeTotal, RuleTotal])

const label = Type.Optional(text)
const decimals = Type.Integer({ minimum: 0, maximum: 6 })
const within = Type.Optional(
  Type.Number({ exclusiveMinimum: 0, description: 'How far a given value may lie from the computed one.' }),
)

export const SumDerived = Type.Object({ kind: Type.Literal('sum'), label, of: names }, closed)
export const MeanDerived = Type.Object({ kind: Type.Literal('mean'), label, of: names, decimals }, closed)
export const CountDerived = Type.Object(
  { kind: Type.Literal('countAtLeast'), label, of: names, atLeast: Type.Number() },
  closed,
)
export const ShiftedDerived = Type.Object(
  {
    kind: Type.Literal('shifted'),
    label,
    of: name,
    by: name,
    points: Type.Record(Type.String(), Type.Number()),
    from: Type.Number(),
    to: Type.Number(),
  },
  closed,
)
/** A value divided by a constant: deficits out of 25. */
export const QuotientDerived = Type.Object(
  { kind: Type.Literal('quotient'), label, of: name, by: Type.Number({ exclusiveMinimum: 0 }), decimals },
  closed,
)
/** A constant divided by a value: metres by seconds. */
export const InverseDerived = Type.Object(
  {
    kind: Type.Literal('inverse'),
    label,
    of: name,
    numerator: Type.Number({ exclusiveMinimum: 0 }),
    decimals,
    within,
  },
  closed,
)
/** 1 when the sum of some values lies in a range, else 0. */
export const SumWithinDerived = Type.Object(
  { kind: Type.Literal('sumWithin'), label, of: names, from: Type.Number(), to: Type.Number() },
  closed,
)
/** The number that a code stands for: a stage that is written as 6a. */
export const ByCodeDerived = Type.Object(
  { kind: Type.Literal('byCode'), label, of: name, values: Type.Record(Type.String(), Type.Number()) },
  closed,
)
/** Geriatric Nutritional Risk Index: albumin, and weight as a share (at most 1) of the ideal weight by Lorentz. */
export const GnriDerived = Type.Object(
  {
    kind: Type.Literal('gnri'),
    label,
    of: Type.Array(name, {
      minItems: 3,
      maxItems: 3,
      description: 'Albumin in g/L, weight in kg, height in cm.',
    }),
    by: name,
    albumin: Type.Number(),
    weight: Type.Number(),
    divisors: Type.Record(Type.String(), Type.Number({ exclusiveMinimum: 0 }), {
      description: 'By sex: ideal weight = height − 100 − (height − 150) ÷ divisor.',
    }),
    decimals,
    within,
  },
  closed,
)
export const DERIVED_SCHEMAS = {
  sum: SumDerived,
  mean: MeanDerived,
  countAtLeast: CountDerived,
  shifted: ShiftedDerived,
  quotient: QuotientDerived,
  inverse: InverseDerived,
  sumWithin: SumWithinDerived,
  byCode: ByCodeDerived,
  gnri: GnriDerived,
} as const
export const Derived = Type.Union([
  SumDerived,
  MeanDerived,
  CountDerived,
  ShiftedDerived,
  QuotientDerived,
  InverseDerived,
  SumWithinDerived,
  ByCodeDerived,
  GnriDerived,
])

/** One of several ways to write the same scale down. A record says which one it uses. */
export const Coding = Type.Object(
  {
    meaning: text,
    shift: Type.Optional(
      Type.Number({ description: 'How far every item lies above the values in `items`.' }),
    ),
    items: Type.Optional(names),
    narrowed: Type.Optional(Type.Record(Type.String(), values)),
    total: Type.Optional(Total),
  },
  closed,
)
export const Codings = Type.Object(
  { default: Type.Union([text, Type.Null()]), forms: Type.Record(Type.String(), Coding) },
  closed,
)

export const Band = Type.Object({ from: Type.Number(), to: Type.Number(), label: text }, closed)
export const BandScheme = Type.Object(
  {
    scheme: text,
    of: Type.Optional(name),
    sex: Type.Optional(Type.Enum(['F', 'M'], { description: 'The sex that the bands hold for.' })),
    verified: Type.Boolean(),
    note: Type.Optional(text),
    bands: Type.Array(Band, { minItems: 1 }),
  },
  closed,
)

export const Source = Type.Object({ cite: text, links: Type.Optional(Type.Array(text)) }, closed)
export const Licence = Type.Object({ status: text, shipped: text }, closed)

export const ScaleFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    id: name,
    version: Type.Integer({ minimum: 1 }),
    title: text,
    purpose: text,
    direction: Type.Enum(['higherIsBetter', 'higherIsWorse', 'categorical']),
    verified: Type.Boolean({ description: 'False when a number in this file could not be confirmed.' }),
    unverified: Type.Optional(
      Type.Array(text, { minItems: 1, description: 'What exactly is not confirmed.' }),
    ),
    items: Type.Record(Type.String(), Item),
    measures: Type.Optional(Type.Record(Type.String(), Measure)),
    computed: Type.Optional(
      Type.Record(Type.String(), Derived, {
        description: 'Items and measures that follow from other values when they are not given.',
      }),
    ),
    itemMeaning: Type.Optional(text),
    context: Type.Optional(Type.Record(Type.String(), Context)),
    codings: Type.Optional(Codings),
    subtotals: Type.Optional(Type.Record(Type.String(), Type.Object({ label: text, items: names }, closed))),
    total: Total,
    derived: Type.Optional(Type.Record(Type.String(), Derived)),
    bands: Type.Optional(Type.Array(BandScheme)),
    variants: Type.Optional(Type.Array(text)),
    source: Source,
    licence: Licence,
    loinc: Type.Optional(Type.Record(Type.String(), text)),
  },
  closed,
)

export type MeasureDefinition = Type.Static<typeof Measure>
export type TotalDefinition = Type.Static<typeof Total>
export type SumDefinition = Type.Static<typeof SumTotal>
export type RuleDefinition = Type.Static<typeof RuleTotal>
export type DerivedDefinition = Type.Static<typeof Derived>
export type CodingDefinition = Type.Static<typeof Coding>
export type BandSchemeDefinition = Type.Static<typeof BandScheme>
export type ScaleDefinition = Type.Static<typeof ScaleFile>

/** The names of the values that a computed figure follows from. */
export function partsOf(definition: DerivedDefinition): readonly string[] {
  switch (definition.kind) {
    case 'shifted':
      return [definition.of, definition.by]
    case 'gnri':
      return [...definition.of, definition.by]
    case 'quotient':
    case 'inverse':
    case 'byCode':
      return [definition.of]
    case 'sum':
    case 'mean':
    case 'countAtLeast':
    case 'sumWithin':
      return definition.of
  }
}
