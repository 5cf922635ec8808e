/** The forms of a scale: what needs a declared coding, what is shifted with it, and what follows from readings, age and sex. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition } from '../src/definition/field.ts'
import type { DerivedDefinition, ScaleDefinition } from '../src/definition/scale.ts'
import { missing, sumReason, valueError } from '../../../test/support/contract-records.ts'
import {
  type Definitions,
  linear,
  model,
  results,
  scale,
  scorerOf,
} from '../../../test/support/small-definitions.ts'

const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  age: { type: 'integer', from: 0, to: 120, meaning: 'age' },
  sex: { type: 'code', values: { F: 'f', M: 'm' }, meaning: 'sex' },
}
const AGE = model({ age: {} }, [linear('age')])
/** The risk of an age of 50 by the model of age. */
const RISK = 0.6225

const MEAN: DerivedDefinition = { kind: 'mean', of: ['a', 'b'], decimals: 2 }
const HIGH: DerivedDefinition = { kind: 'countAtLeast', of: ['a', 'b'], atLeast: 2 }
const twoForms = (byDefault: 'low' | null): readonly ScaleDefinition[] => [
  scale(
    'two',
    { a: [0, 1, 2], b: [0, 1, 2] },
    {
      codings: {
        default: byDefault,
        forms: { low: { meaning: 'from 0' }, high: { meaning: 'from 1', shift: 1 } },
      },
      context: { school: { label: 'school', values: { yes: 'yes', no: 'no' } } },
      subtotals: { part: { label: 'part', items: ['a'] } },
      derived: { mean: MEAN, high: HIGH },
    },
  ),
]
const undeclared: Definitions = { fields: FIELDS, scales: twoForms(null), model: AGE }
const byMean: Definitions = {
  fields: FIELDS,
  scales: twoForms('low'),
  model: model({ two_mean: {} }, [linear('two_mean', 1)]),
}

const ALTERNATIVES = scale(
  'either',
  { a: [0, 1], b: [0, 1], old: [0, 1] },
  {
    total: { kind: 'sum', alternatives: [['a', 'old']] },
    measures: { reading: { label: 'reading', from: 0, to: 10, step: 1, unit: '1' } },
    computed: {
      a: {
        kind: 'banded',
        of: 'reading',
        bands: [
          { to: 5, points: 0 },
          { above: 5, points: 1 },
        ],
      },
    },
  },
)
const byEither: Definitions = {
  fields: FIELDS,
  scales: [ALTERNATIVES],
  model: model({ either_total: {} }, [linear('either_total', 1)]),
}

/** The speed over four metres, which may be rounded, and another item, which may not. */
const speeds = (items: Readonly<Record<string, readonly number[]>>): Definitions => ({
  fields: FIELDS,
  scales: [
    scale('walk', items, {
      measures: { seconds: { label: 'seconds', from: 1, to: 8, step: 1, unit: 's' } },
      computed: { speed: { kind: 'inverse', of: 'seconds', numerator: 4, decimals: 1, within: 0.6 } },
    }),
  ],
  model: AGE,
})
const SPEED = [0.5, 1, 2, 2.5]

/** What follows from sex, as context that a figure needs: the total is the number that belongs to the sex. */
const BY_SEX = scale(
  'norm',
  { points: [0, 1, 2] },
  {
    context: { sex: { label: 'sex', values: { female: 'f', male: 'm' } } },
    computed: { sex: { kind: 'byCode', of: 'record:sex', values: { F: 'female', M: 'male' } } },
    derived: {
      adjusted: { kind: 'shifted', of: 'points', by: 'sex', points: { female: 1, male: 0 }, from: 0, to: 3 },
    },
  },
)
const notNeeded: Definitions = { fields: FIELDS, scales: [BY_SEX], model: AGE }

const YOUNG_OR_OLD: DerivedDefinition = {
  kind: 'banded',
  of: 'record:age',
  bands: [
    { to: 64, points: 0 },
    { from: 65, points: 1 },
  ],
}
const byAgeAndSex = (needed: boolean): Definitions => ({
  fields: FIELDS,
  scales: [
    scale(
      'risk',
      { old: [0, 1], male: [0, 1], other: [0, 1] },
      {
        computed: {
          old: YOUNG_OR_OLD,
          male: { kind: 'byCode', of: 'record:sex', values: { F: 0, M: 1 } },
        },
        derived: {
          oldSum: { kind: 'sum', of: ['old', 'other'] },
          maleSum: { kind: 'sum', of: ['male', 'other'] },
        },
      },
    ),
  ],
  model: needed ? model({ risk_total: {} }, [linear('risk_total', 1)]) : AGE,
})

const DATE = '01-02-2026'
const at = (points: number): number => Math.round(1e4 / (1 + Math.exp(-points))) / 1e4

type Row = readonly [string, Definitions, object, number | null, readonly object[]]
const ROWS: readonly Row[] = [
  ['a date alone needs no coding', undeclared, { age: 50, two_date: DATE }, RISK, []],
  ['context alone needs no coding', undeclared, { age: 50, two_school: 'yes' }, RISK, []],
  ['an item needs one', undeclared, { age: 50, two_a: 1 }, RISK, [missing('two_coding')]],
  ['a subtotal needs one', undeclared, { age: 50, two_part: 1 }, RISK, [missing('two_coding')]],
  ['a derived figure needs one', undeclared, { age: 50, two_high: 1 }, RISK, [missing('two_coding')]],
  [
    'values of two forms contradict each other, and the date of the scale is reported',
    undeclared,
    { age: 50, two_a: 0, two_b: 3, two_date: DATE },
    null,
    [valueError('two_b', 'B', 1, 'out of range', DATE), missing('two_coding')],
  ],
  ['a mean is worked out in the base form', byMean, { two_coding: 'high', two_a: 3, two_b: 2 }, at(1.5), []],
  [
    'a given mean of the higher form is shifted with its items',
    byMean,
    { two_coding: 'high', two_a: 3, two_b: 2, two_mean: 2.5 },
    at(1.5),
    [],
  ],
  ['also without them', byMean, { two_coding: 'high', two_mean: 2.5 }, at(1.5), []],
  ['a mean of the lower form stays', byMean, { two_mean: 1.5 }, at(1.5), []],
  [
    'a count is the same in both forms',
    byMean,
    { two_coding: 'high', two_a: 3, two_b: 2, two_high: 1 },
    at(1.5),
    [],
  ],
  ['a reading gives its points', byEither, { either_b: 1, either_reading: 6 }, at(2), []],
  [
    'but not where the alternative is given',
    byEither,
    { either_b: 1, either_old: 0, either_reading: 6 },
    at(1),
    [],
  ],
  [
    'a total that is its one item may be rounded as that item may',
    speeds({ speed: SPEED }),
    { age: 50, walk_seconds: 2, walk_total: 2.5 },
    RISK,
    [],
  ],
  [
    'a total with another item may not',
    speeds({ speed: SPEED, other: [0, 0.5] }),
    { age: 50, walk_seconds: 2, walk_other: 0, walk_total: 2.5 },
    null,
    [valueError('walk_total', 'Total', 1, sumReason(2))],
  ],
  [
    'a given figure is compared by the sex of the record, also where no model needs it',
    notNeeded,
    { age: 50, sex: 'F', norm_points: 1, norm_adjusted: 1 },
    null,
    [valueError('norm_adjusted', 'Adjusted', 1, sumReason(2))],
  ],
  ['and agrees for the other', notNeeded, { age: 50, sex: 'M', norm_points: 1, norm_adjusted: 1 }, RISK, []],
  [
    'age and sex give items where a model needs the total',
    byAgeAndSex(true),
    { age: 65, sex: 'M', risk_other: 0 },
    at(2),
    [],
  ],
  [
    'without such a model the age of the record says nothing of a given figure',
    byAgeAndSex(false),
    { age: 50, sex: 'M', risk_other: 1, risk_oldSum: 2 },
    RISK,
    [],
  ],
  ['nor its sex', byAgeAndSex(false), { age: 50, sex: 'M', risk_other: 1, risk_maleSum: 1 }, RISK, []],
]
for (const [title, definitions, record, risk, problems] of ROWS) {
  test(title, () => {
    for (const reader of ['bytes', 'reference'] as const) {
      const scorer = scorerOf({ ...definitions, options: { reader } })
      const [result] = results(scorer, [{ idx: 1, ...record }])
      assert.deepEqual(result, { idx: 1, risk, error_message: problems.length === 0 ? null : problems })
    }
  })
}
