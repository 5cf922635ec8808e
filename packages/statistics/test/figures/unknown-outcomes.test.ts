/** The alarm where outcomes are late, missing, unknown or sent twice: its bounds, its proof as a property, and short simulations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BinCell,
  type BoundedBin,
  CalibrationDetector,
  type RiskBin,
  type ScoredCell,
  allKnown,
  binsOf,
  boundedBin,
  boundedBins,
  boundedParts,
  copiesIn,
  gainsOf,
  logOdds,
  performanceOf,
} from '@patient-risk/statistics'
import { fc } from '../../../../test/support/fast-check.ts'
import { SITUATIONS, missing } from '../../../../test/simulate/outcome-senders.ts'
import { alarmsOfUnknown } from '../../../../test/simulate/unknown-outcomes.ts'

const SETTINGS = { eta: 1, centre: -2 }

/** Scored · events sent · others sent · the fewest and the most events there can be. */
const BOUNDS = [
  [10, 2, 8, 2, 2],
  [10, 2, 7, 2, 3],
  [10, 2, 0, 2, 10],
  [10, 0, 0, 0, 10],
  [10, 0, 9, 0, 1],
  [10, 0, 10, 0, 0],
  [10, 4, 8, 2, 4],
  [10, 4, 10, 0, 4],
  [10, 12, 8, 2, 10],
  [10, 3, 12, 0, 3],
  [0, 3, 1, 0, 0],
] as const
for (const [scored, events, others, least, most] of BOUNDS) {
  test(`of ${scored} scored, ${events} events and ${others} others came: between ${least} and ${most} events`, () => {
    assert.deepEqual(boundedBin(0.2, { scored, events, others }), { risk: 0.2, scored, least, most })
  })
}

/** Of 10 scored 4 events and 5 others came · so many strangers of the bin · the fewest and the most events there can be. */
const STRANGERS = [
  [0, 4, 5],
  [1, 3, 6],
  [5, 0, 10],
] as const
for (const [strangers, least, most] of STRANGERS) {
  test(`outcomes may be of ${strangers} others: between ${least} and ${most} events`, () => {
    const part = { scored: 10, events: 4, others: 5, strangers }
    const found = boundedBin(0.2, part)
    assert.deepEqual([found.least, found.most], [least, most])
    const cell = { bin: 200, number: 10, units: 20_000 }
    const sent = [
      { bin: 200, outcome: 1, number: 4, units: 8_000 },
      { bin: 200, outcome: 0, number: 5, units: 10_000 },
    ]
    const beside = [{ ...cell, number: strangers, units: strangers * 2_000 }]
    assert.deepEqual(boundedBins([{ scored: [cell], sent, strangers: beside }]), [found])
  })
}

/** [Scored, events sent, others sent] of each part of a bin · the fewest and the most events there can be. */
const BOUNDS_OF_PARTS = [
  [[[10, 2, 8]], 2, 2],
  [
    [
      [10, 2, 8],
      [5, 0, 5],
    ],
    2,
    2,
  ],
  // One part sent twice, of the other only events: together that would be complete.
  [
    [
      [10, 4, 16],
      [20, 3, 0],
    ],
    3,
    24,
  ],
  [
    [
      [10, 4, 8],
      [20, 3, 15],
    ],
    5,
    9,
  ],
  // What came of another part than that of the answer: the sum knows more than the parts.
  [
    [
      [5, 3, 0],
      [5, 0, 20],
    ],
    0,
    5,
  ],
  [
    [
      [5, 3, 5],
      [5, 0, 2],
    ],
    0,
    6,
  ],
] as const
for (const [parts, least, most] of BOUNDS_OF_PARTS) {
  test(`a bin of the parts ${JSON.stringify(parts)}: between ${least} and ${most} events`, () => {
    const ofBin = parts.map(([scored, events, others]) => ({ scored, events, others }))
    const scored = ofBin.reduce((sum, part) => sum + part.scored, 0)
    assert.deepEqual(boundedParts(0.2, ofBin), { risk: 0.2, scored, least, most })
  })
}

/** Events of bins with one patient · how often an event came at most, and at most in the mean. */
const COPIES = [
  [[1, 1, 1], 1, 1],
  [[], 1, 1],
  [[2, 2], 2, 2],
  [[3, 1], 3, 3],
  [[2, ...Array<number>(29).fill(1)], 2, 1.1],
  [[2, 2, 2, 2, ...Array<number>(76).fill(1)], 2, 1.1],
] as const
for (const [events, most, mean] of COPIES) {
  test(`events of single patients that came ${events.join(', ')} times: at most ${most}, in the mean ${mean}`, () => {
    const single = events.map((each) => ({ scored: 1, events: each, others: 0 }))
    // In a larger bin what came twice may stand for what is missing.
    const found = copiesIn([
      ...single,
      { scored: 10, events: 12, others: 9 },
      { scored: 1, events: 0, others: 1 },
    ])
    assert.deepEqual(found, { events: { most, mean }, others: { most: 1, mean: 1 } })
  })
}

/** Events that came of bins in which nobody was scored · the share of the others that is of patients who were scored. */
const UNSCORED = [
  [0, 1],
  // Of 20 scored 10 are alone: (1 + 2) × 20 ÷ 10 strangers, of whom 1 has a bin of nobody.
  [1, 1 - 5 / 10],
  [2, 1 - ((2 + 2 * Math.SQRT2) * 2 - 2) / 10],
  [4, 0],
] as const
for (const [events, own] of UNSCORED) {
  test(`${events} events of risks that nobody had: ${own} of the others are of patients who were scored`, () => {
    const alone = Array.from({ length: 10 }, (_each, at) => ({
      scored: 1,
      events: at < 5 ? 1 : 0,
      others: 0,
    }))
    const found = copiesIn([...alone, { scored: 10, events: 5, others: 0 }], { events, others: 0 })
    assert.deepEqual(found.others, { most: 1, mean: 1 })
    assert.ok(Math.abs(1 / found.events.mean - own) < 1e-9)
    assert.equal(found.events.most, events === 0 ? 1 : Infinity)
  })
}

test('outcomes of risks that nobody had widen the bounds of all bins, and where no other came nothing is said', () => {
  const cell = (bin: number, number: number): object => ({ bin, number, units: number * 2_000 })
  const scored = [cell(200, 10)] as ScoredCell[]
  const events = (sent: readonly object[]): readonly BinCell[] =>
    sent.map((each) => ({ ...each, outcome: 1 })) as BinCell[]
  const bounds = (sent: readonly object[]): readonly (readonly number[])[] =>
    boundedBins([{ scored, sent: events(sent) }]).map(({ least, most }) => [least, most])
  assert.deepEqual(bounds([cell(200, 4)]), [[4, 10]])
  assert.deepEqual(bounds([cell(200, 4), cell(300, 1)]), [[0, 10]])
  assert.deepEqual(bounds([cell(300, 1)]), [[0, 10]])
})

/** Scored · events · others · copies of each · the fewest and the most events. */
const WITH_COPIES = [
  [10, 4, 5, { events: { most: 2, mean: 2 }, others: { most: 1, mean: 1 } }, 2, 5],
  [10, 4, 5, { events: { most: 1, mean: 1 }, others: { most: 2, mean: 2 } }, 4, 7],
  [10, 6, 3, { events: { most: 2, mean: 1.2 }, others: { most: 1, mean: 1 } }, 5, 7],
  [1, 1, 0, { events: { most: 2, mean: 1.2 }, others: { most: 1, mean: 1 } }, 1, 1],
  [10, 4, 8, { events: { most: 2, mean: 2 }, others: { most: 1, mean: 1 } }, 2, 4],
] as const
for (const [scored, events, others, copies, least, most] of WITH_COPIES) {
  test(`of ${scored} scored ${events} events and ${others} others came ${copies.events.mean} and ${copies.others.mean} times: ${least} to ${most}`, () => {
    const found = boundedBin(0.2, { scored, events, others, copies })
    assert.deepEqual([found.least, found.most], [least, most])
  })
}

test('bounds of a month follow from what its bins with one patient show', () => {
  const cell = (bin: number, number: number): object => ({ bin, number, units: number * 2_000 })
  const scored = [cell(1, 1), cell(2, 1), cell(200, 10)] as ScoredCell[]
  const sent = [cell(1, 2), cell(2, 2), cell(200, 4)].map((each) => ({ ...each, outcome: 1 })) as BinCell[]
  assert.deepEqual(
    boundedBins([{ scored, sent }]).map(({ least, most }) => [least, most]),
    [
      [1, 1],
      [1, 1],
      [2, 10],
    ],
  )
})

const riskBins = fc.array(
  fc.record({
    risk: fc.double({ min: 0.0001, max: 0.9999, noNaN: true }),
    events: fc.nat(30),
    others: fc.nat(30),
  }),
  { minLength: 1, maxLength: 12 },
)

test('with complete outcomes the evidence is that of the outcomes alone', () => {
  fc.assert(
    fc.property(riskBins, (bins) => {
      const bounded = bins.map((bin) => boundedBin(bin.risk, { ...bin, scored: bin.events + bin.others }))
      const evidenceOf = (month: readonly BoundedBin[]): number =>
        new CalibrationDetector({ ...SETTINGS, limit: 2_400 }).addMonth(month)
      assert.equal(evidenceOf(bounded), evidenceOf(allKnown(bins)))
    }),
  )
})

test('no alternative has more evidence than the true outcomes give, whatever is missing or came several times', () => {
  const sent = fc.record({
    isRepeated: fc.boolean(),
    events: fc.double({ min: 0, max: 1, noNaN: true }),
    others: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(riskBins, fc.array(sent, { minLength: 12, maxLength: 12 }), (bins, ways) => {
      const bounded = bins.map((bin, at) => {
        const { isRepeated, events, others } = ways[at] as (typeof ways)[number]
        // In one bin outcomes are missing, or came up to three times.
        const times = (share: number, number: number): number =>
          isRepeated ? number + Math.floor(2 * share * number) : Math.floor(share * number)
        const came = { events: times(events, bin.events), others: times(others, bin.others) }
        return boundedBin(bin.risk, { ...came, scored: bin.events + bin.others })
      })
      const found = gainsOf(bounded, SETTINGS)
      gainsOf(allKnown(bins), SETTINGS).forEach((gain, each) =>
        assert.ok((found[each] ?? 0) <= gain + 1e-9 * (1 + Math.abs(gain))),
      )
    }),
  )
})

test('gains are those of the formula, in bins of few and of many', () => {
  const bins = [1, 3, 8, 9, 4_000].flatMap((scored) =>
    [0.0001, 0.02, 0.4, 0.9999].map((risk) => ({ risk, scored, least: scored >> 2, most: scored >> 1 })),
  )
  const shifts = [-0.8, -0.5, -0.3, -0.15, 0.15, 0.3, 0.5, 0.8].map((shift) => () => shift)
  const slopes = [0.5, 0.75, 1.33].map((slope) => (odds: number) => (slope - 1) * (odds - SETTINGS.centre))
  const found = gainsOf(bins, SETTINGS)
  for (const [each, shiftOf] of [...shifts, ...slopes].entries()) {
    const expected = bins.reduce((sum, { risk, scored, least, most }) => {
      const shift = shiftOf(logOdds(risk))
      return sum + shift * (shift > 0 ? least : most) - scored * Math.log1p(risk * Math.expm1(shift))
    }, 0)
    assert.ok(Math.abs((found[each] ?? 0) - expected) < 1e-9 * Math.abs(expected), `${each}`)
  }
})

test('with a tolerance the mean factor of an outcome is at most 1 for every error within it', () => {
  for (const risk of [0.02, 0.15, 0.5, 0.9]) {
    for (const error of [-0.15, -0.1, 0, 0.1, 0.15]) {
      const truth = 1 / (1 + Math.exp(-logOdds(risk) - error))
      const factors = (isEvent: boolean): Float64Array => {
        const outcome: RiskBin = { risk, events: isEvent ? 1 : 0, others: isEvent ? 0 : 1 }
        return gainsOf(allKnown([outcome]), { ...SETTINGS, tolerance: 0.15 }).map(Math.exp)
      }
      const ofEvent = factors(true)
      const ofOther = factors(false)
      ofEvent.forEach((factor, each) => {
        const mean = truth * factor + (1 - truth) * (ofOther[each] ?? 0)
        assert.ok(mean <= 1 + 1e-12, `${risk} ${error} ${each}: ${mean}`)
      })
    }
  }
})

for (const [name, sender] of Object.entries(SITUATIONS)) {
  test(`right risks raise no alarm in ten years, outcomes: ${name}`, () => {
    const feed = { prevalence: '15 %', perMonth: 40, sender } as const
    assert.deepEqual(alarmsOfUnknown(feed, 4), [])
    assert.deepEqual(alarmsOfUnknown({ ...feed, isYesNo: true }, 4), [])
  })
}

test('risks × 1.5 are found with 5 % of the outcomes missing, by numbers and by Yes and No', () => {
  const truth = (_odds: number, risk: number): number => Math.min(1, 1.5 * risk)
  const feed = { prevalence: '15 %', perMonth: 200, months: 40, sender: missing(0.05), truth } as const
  for (const isYesNo of [false, true]) assert.equal(alarmsOfUnknown({ ...feed, isYesNo }, 3).length, 3)
})

const CELLS: readonly BinCell[] = [
  { bin: 200, flagged: 1, outcome: 1, number: 12, units: 24_000 },
  { bin: 200, flagged: 1, outcome: 0, number: 20, units: 40_000 },
  { bin: 200, flagged: 1, outcome: 2, number: 4, units: 8_000 },
  { bin: 200, flagged: 1, outcome: 3, number: 3, units: 6_000 },
]

/** What a death counts as · events · others. */
const DEATHS = [
  [undefined, 12, 20],
  ['unknown', 12, 20],
  ['none', 12, 24],
  ['event', 16, 20],
] as const
for (const [death, events, others] of DEATHS) {
  test(`a death before the event as ${death ?? 'not stated'}: ${events} events and ${others} others`, () => {
    const [bin] = binsOf(CELLS, death)
    assert.deepEqual([bin?.events, bin?.others], [events, others])
    const options = { output: 'number', threshold: null, eta: 1, ...(death && { death }) } as const
    const found = performanceOf(CELLS, options)
    assert.deepEqual([found.outcomes, found.events], [events + others, events])
  })
}

test('outcomes of a bin in which nobody was scored are no patients: as many of the other bins may be of others', () => {
  const scored = [{ bin: 200, flagged: 1, number: 40, units: 80_120 }]
  const outside = { bin: 300, flagged: 1, outcome: 1, number: 5, units: 15_000 }
  assert.deepEqual(boundedBins([{ scored, sent: [...CELLS, outside] }]), [
    { risk: 0.2003, scored: 40, least: 0, most: 20 },
  ])
  const unknown = { ...outside, outcome: 3 }
  assert.deepEqual(boundedBins([{ scored, sent: [...CELLS, unknown] }]), [
    { risk: 0.2003, scored: 40, least: 12, most: 20 },
  ])
})

test('where all risks are equal there is a calibration in the large, and no slope', () => {
  const { risks } = performanceOf(CELLS, { output: 'number', threshold: null, eta: 1 })
  // In R: glm(y ~ 1 + offset(qlogis(rep(0.2, 32))), binomial) with 12 events.
  assert.ok(Math.abs((risks?.inTheLarge?.value ?? 0) - (Math.log(12 / 20) - Math.log(0.25))) < 1e-9)
  const error = 1 / Math.sqrt(32 * 0.375 * 0.625)
  assert.ok(
    Math.abs(((risks?.inTheLarge?.to ?? 0) - (risks?.inTheLarge?.from ?? 0)) / 2 - 1.95996 * error) < 1e-2,
  )
  assert.equal(risks?.slope, null)
})
