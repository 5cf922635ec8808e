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

export const SumDerived = Type.Object({ kind: Type.Literal('sum'), label: text, of: names }, closed)
export const MeanDerived = Type.Object(
  { kind: Type.Literal('mean'), label: text, of: names, decimals: Type.Integer({ minimum: 0, maximum: 6 }) },
  closed,
)
export const CountDerived = Type.Object(
  { kind: Type.Literal('countAtLeast'), label: text, of: names, atLeast: Type.Number() },
  closed,
)
export const ShiftedDerived = Type.Object(
  {
    kind: Type.Literal('shifted'),
    label: text,
    of: name,
    by: name,
    points: Type.Record(Type.String(), Type.Number()),
    from: Type.Number(),
    to: Type.Number(),
  },
  closed,
)
export const DERIVED_SCHEMAS = {
  sum: SumDerived,
  mean: MeanDerived,
  countAtLeast: CountDerived,
  shifted: ShiftedDerived,
} as const
export const Derived = Type.Union([SumDerived, MeanDerived, CountDerived, ShiftedDerived])

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

export type TotalDefinition = Type.Static<typeof Total>
export type SumDefinition = Type.Static<typeof SumTotal>
export type RuleDefinition = Type.Static<typeof RuleTotal>
export type DerivedDefinition = Type.Static<typeof Derived>
export type CodingDefinition = Type.Static<typeof Coding>
export type BandSchemeDefinition = Type.Static<typeof BandScheme>
export type ScaleDefinition = Type.Static<typeof ScaleFile>
