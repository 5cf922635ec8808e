/** A band is judged before its figure is rounded: at every edge of every scale, against fractions of whole numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkScale } from '../../src/definition/check/check-scale.ts'
import { FaultList } from '../../src/definition/fault.ts'
import type {
  BandDefinition,
  BandSchemeDefinition,
  DerivedDefinition,
  ScaleDefinition,
} from '../../src/definition/scale.ts'
import { Random } from '../../../../test/support/random.ts'
import { catalog, describer } from './describe.ts'

/** The scheme · the record · the band that the source prints. */
const PUBLISHED: readonly (readonly [string, string, object, string])[] = [
  // EWGSOP2: 0.8 m/s or less.
  ...[4.97, 4.98, 4.99, 4.999].map(
    (seconds) =>
      [
        'gaitSpeed',
        'EWGSOP2 (low physical performance)',
        { gaitSpeed_seconds4m: seconds },
        'not low',
      ] as const,
  ),
  ...[5, 5.001, 5.01].map(
    (seconds) =>
      [
        'gaitSpeed',
        'EWGSOP2 (low physical performance)',
        { gaitSpeed_seconds4m: seconds },
        'low physical performance',
      ] as const,
  ),
  // NICE: more than 5 s.
  ...[5.001, 5.01, 5.02, 5.03].map(
    (seconds) =>
      [
        'gaitSpeed',
        'NICE NG56 (frailty, 4 m walk)',
        { gaitSpeed_seconds4m: seconds },
        'possible frailty',
      ] as const,
  ),
  ['gaitSpeed', 'NICE NG56 (frailty, 4 m walk)', { gaitSpeed_seconds4m: 5 }, 'not frail by this test'],
  // AWGS: below 1.0 m/s.
  ...[4.001, 4.01, 4.02].map(
    (seconds) =>
      [
        'gaitSpeed',
        'AWGS 2019 (low physical performance)',
        { gaitSpeed_seconds4m: seconds },
        'low physical performance',
      ] as const,
  ),
  ['gaitSpeed', 'AWGS 2019 (low physical performance)', { gaitSpeed_seconds4m: 4 }, 'not low'],
  // The time decides, also where a rounded speed is given beside it.
  [
    'gaitSpeed',
    'EWGSOP2 (low physical performance)',
    { gaitSpeed_seconds4m: 4.98, gaitSpeed_speed: 0.8 },
    'not low',
  ],
  [
    'gaitSpeed',
    'EWGSOP2 (low physical performance)',
    { gaitSpeed_seconds4m: 4.98, gaitSpeed_total: 0.8 },
    'not low',
  ],
  // A given speed is taken as it is.
  ['gaitSpeed', 'EWGSOP2 (low physical performance)', { gaitSpeed_speed: 0.8 }, 'low physical performance'],
  ['gaitSpeed', 'EWGSOP2 (low physical performance)', { gaitSpeed_total: 0.801 }, 'not low'],
  // GNRI: below 92 is moderate. 1.489 × 33.779 + 41.7 = 91.996931.
  ['gnri', 'Bouillanne 2005', gnri(33.779, 90, 170, 'male'), 'moderate risk'],
  // 1.489 × 33.781 + 41.7 = 91.999909, which three decimals write as 92.
  ['gnri', 'Bouillanne 2005', gnri(33.781, 90, 170, 'male'), 'moderate risk'],
  ['gnri', 'Bouillanne 2005', gnri(33.782, 90, 170, 'male'), 'low risk'],
  ['gnri', 'Bouillanne 2005', { gnri_score: 91.997 }, 'moderate risk'],
  ['gnri', 'Bouillanne 2005', { gnri_score: 92 }, 'low risk'],
  ['gnri', 'Bouillanne 2005', { gnri_score: 98 }, 'low risk'],
  ['gnri', 'Bouillanne 2005', { gnri_score: 98.001 }, 'no risk'],
  ['tug', 'CDC STEADI', { tug_seconds: 11.95 }, 'below the fall-risk cut-off'],
  ['tug', 'CDC STEADI', { tug_seconds: 12 }, 'at risk of falling'],
  ['gripStrength', 'EWGSOP2 2019', { sex: 'M', gripStrength_kg: 26.95 }, 'low strength: probable sarcopenia'],
  ['gripStrength', 'EWGSOP2 2019', { sex: 'M', gripStrength_kg: 27 }, 'not low'],
]

function gnri(albumin: number, weight: number, height: number, sex: string): object {
  return { gnri_albumin: albumin, gnri_weight: weight, gnri_height: height, gnri_sex: sex }
}

for (const [scale, scheme, record, band] of PUBLISHED) {
  test(`${scheme}: ${JSON.stringify(record)} is ${band}`, () => {
    const [state] = describer({ bands: { [scale]: scheme } })(record)
    assert.equal(state?.band, band)
  })
}

test('a GNRI of 91.9965 is moderate, and its total is shown with three decimals', () => {
  const [state] = describer()(gnri(40.5, 49.4, 170, 'male'))
  assert.deepEqual([state?.total, state?.band], [91.997, 'moderate risk'])
})

/** What the formula of a scale takes is not out of range between two marks of a ruler. */
const BETWEEN: readonly (readonly [object, number])[] = [
  [gnri(40.55, 63.65, 172.3, 'male'), 100.157],
  [{ gaitSpeed_seconds4m: 4.985 }, 0.802],
  [{ tug_seconds: 11.955 }, 11.955],
  [{ gripStrength_kg: 26.333 }, 26.333],
]
for (const [record, total] of BETWEEN) {
  test(`${JSON.stringify(record)} is taken as it is: ${total}`, () => {
    assert.equal(describer()(record)[0]?.total, total)
  })
}

/** A figure in whole numbers: dividend and divisor, both positive, in the figure's own unit. */
type Exact = readonly [dividend: bigint, divisor: bigint]
const THOUSAND = 1000n

function thousandths(value: number): bigint {
  const written = value.toFixed(3)
  assert.equal(Number(written), value)
  return BigInt(written.replace('.', ''))
}

/** A figure by the formula of its source, with nothing rounded. Written apart from the engine. */
function exactFigure(definition: DerivedDefinition, values: readonly number[], sex: string): Exact {
  const [first = 0, second = 0, third = 0] = values
  if (definition.kind === 'inverse') return [thousandths(definition.numerator), thousandths(first)]
  if (definition.kind === 'gnri') {
    // Ideal weight = height − 100 − (height − 150) ÷ divisor, over 10 × divisor thousandths.
    const divisor = BigInt(Math.round((definition.divisors[sex] ?? 0) * 10))
    const height = thousandths(third)
    const ideal: Exact = [(height - 100_000n) * divisor - (height - 150_000n) * 10n, THOUSAND * divisor]
    const ratio: Exact = [thousandths(second) * ideal[1], THOUSAND * ideal[0]]
    const share: Exact = ratio[0] > ratio[1] ? [1n, 1n] : ratio
    const ofAlbumin = thousandths(definition.albumin) * thousandths(first)
    const ofWeight = thousandths(definition.weight)
    return [ofAlbumin * share[1] + ofWeight * THOUSAND * share[0], THOUSAND * THOUSAND * share[1]]
  }
  return assert.fail(`${definition.kind} has no formula here`)
}

function holds(band: BandDefinition, [dividend, divisor]: Exact): boolean {
  const side = (edge: number): bigint => dividend * THOUSAND - thousandths(edge) * divisor
  return (
    (band.from === undefined || side(band.from) >= 0n) &&
    (band.above === undefined || side(band.above) > 0n) &&
    (band.to === undefined || side(band.to) <= 0n) &&
    (band.below === undefined || side(band.below) < 0n)
  )
}

function edgesOf({ bands }: BandSchemeDefinition): readonly number[] {
  return bands.flatMap(({ from, above, to, below }) =>
    [from, above, to, below].filter((edge) => edge !== undefined),
  )
}

/** Scales whose total is a measure that follows from others by a quotient, and values of its parts around a figure. */
const NEAR: Readonly<Record<string, (edge: number, random: Random) => readonly number[] | undefined>> = {
  gaitSpeed: (edge, random) => [rounded(4 / edge + around(random, 40) / 1000)],
  gnri: (edge, random) => {
    const weight = (20_000 + random.below(230_001)) / 1000
    const height = (120_000 + random.below(90_001)) / 1000
    const share = Math.min(1, weight / (height - 100 - (height - 150) / 4))
    return [rounded((edge - 41.7 * share) / 1.489 + around(random, 3) / 1000), weight, height]
  },
}

function around(random: Random, spread: number): number {
  return random.below(2 * spread + 1) - spread
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}

type Change = (scale: ScaleDefinition) => ScaleDefinition
const withBands =
  (...bands: readonly BandDefinition[]): Change =>
  (scale) => ({ ...scale, bands: [{ scheme: 'A', verified: true, bands }] })
const withComputed =
  (name: string, more: object): Change =>
  (scale) => {
    const definition = { ...scale.computed?.[name], ...more } as DerivedDefinition
    return { ...scale, computed: { ...scale.computed, [name]: definition } }
  }
const withMeasure =
  (name: string, more: object): Change =>
  (scale) => {
    const measure = { ...(scale.measures?.[name] ?? assert.fail(name)), ...more }
    return { ...scale, measures: { ...scale.measures, [name]: measure } }
  }

/** A scale · what is changed in it · the fault. */
const FAULTS: readonly (readonly [string, Change, string])[] = [
  [
    'gnri',
    withBands({ from: 30, to: 91.99, label: 'low' }, { from: 92, to: 132, label: 'high' }),
    '/bands/0/bands/1 [band-gap]',
  ],
  [
    'gaitSpeed',
    withBands({ from: 0.05, to: 0.8, label: 'low' }, { from: 0.8, to: 3, label: 'high' }),
    '/bands/0/bands/1 [band-overlap]',
  ],
  ['gaitSpeed', withBands({ from: 0.05, above: 0.05, to: 3, label: 'all' }), '/bands/0/bands/0 [band-ends]'],
  [
    'frailVig',
    // 9 of 27 is a third, which two decimals write as 0.33.
    (scale) => ({
      ...scale,
      derived: { index: { kind: 'quotient', label: 'I', of: 'total', by: 27, decimals: 2 } },
      bands: [
        {
          scheme: 'A',
          of: 'index',
          verified: true,
          bands: [
            { from: 0, to: 0.33, label: 'low' },
            { from: 0.34, to: 1, label: 'high' },
          ],
        },
      ],
    }),
    '/bands/0/bands [band-gap]',
  ],
  ['gaitSpeed', withMeasure('seconds4m', { from: 0 }), '/computed/speed/of [range]'],
  ['gaitSpeed', withMeasure('seconds4m', { to: 9e9 }), '/computed/speed/of [range]'],
  ['gaitSpeed', withComputed('speed', { numerator: 4.5725 }), '/computed/speed/numerator [values-exact]'],
  ['gaitSpeed', withComputed('speed', { of: 'time' }), '/computed/speed [unknown-part]'],
  ['gnri', withMeasure('height', { from: 60 }), '/computed/score/divisors/female [range]'],
  ['gnri', withMeasure('albumin', { to: 9e6 }), '/computed/score/divisors/female [range]'],
  ['gnri', withComputed('score', { albumin: 1.4895 }), '/computed/score/albumin [values-exact]'],
  [
    'gnri',
    withComputed('score', { divisors: { female: 2.55, male: 4 } }),
    '/computed/score/divisors/female [values-exact]',
  ],
]
for (const [id, change, fault] of FAULTS) {
  test(`${id} is refused: ${fault}`, () => {
    const faults = new FaultList(id)
    checkScale(change(catalog.scales.get(id) ?? assert.fail(id)), faults)
    const found = faults.faults.map(({ path, rule }) => `${path} [${rule}]`)
    assert.ok(found.includes(fault), found.join('; '))
  })
}

const computing = [...catalog.scales.values()].flatMap((scale) => {
  const { total, computed = {}, measures = {}, bands = [] } = scale
  if (total === 'sum' || total.kind !== 'grade') return []
  const definition = computed[total.item]
  if (definition === undefined || measures[total.item] === undefined) return []
  return bands.map((scheme) => ({ scale, definition, scheme }))
})

test('every scale whose banded total is a computed measure is tried', () => {
  assert.deepEqual([...new Set(computing.map(({ scale }) => scale.id))].sort(), Object.keys(NEAR).sort())
  assert.equal(computing.length, 7)
})

for (const { scale, definition, scheme } of computing) {
  const { id, measures = {} } = scale
  test(`${id}, ${scheme.scheme}: 3,000 figures around its edges have the band of the unrounded figure`, () => {
    const random = new Random(45)
    const describe = describer({ bands: { [id]: scheme.scheme } })
    const parts = definition.of
    const names = typeof parts === 'string' ? [parts] : parts
    const seen = new Set<string>()
    for (let round = 0; round < 3_000; round++) {
      const edge = random.pick(edgesOf(scheme))
      const sex = random.pick(['male', 'female'])
      const values = NEAR[id]?.(edge, random) ?? []
      const isPermitted = names.every((name, at) => {
        const value = values[at] ?? Number.NaN
        const { from = 0, to = 0 } = measures[name] ?? {}
        return value >= from && value <= to
      })
      if (!isPermitted) continue
      const record = Object.fromEntries(names.map((name, at) => [`${id}_${name}`, values[at]]))
      const [state] = describe(id === 'gnri' ? { ...record, gnri_sex: sex } : record)
      const figure = exactFigure(definition, values, sex)
      const expected = scheme.bands.filter((band) => holds(band, figure))
      // Beyond the limits of the figure there is no total, and no band.
      if (state?.total === null) continue
      assert.equal(expected.length, 1, JSON.stringify(record))
      assert.equal(state?.band, expected[0]?.label, JSON.stringify(record))
      seen.add(state?.band ?? '')
    }
    assert.equal(seen.size, new Set(scheme.bands.map(({ label }) => label)).size)
  })
}
