/** An answer of `…/v0/performance` and of `…/v0/shadow`, as the page shows them. The types hold them to the OpenAPI document. */
import type { Components } from '../../../generated/schema.ts'

type Schemas = Components['schemas']
type Performance = Schemas['Performance']
type Figures = NonNullable<Performance['whole']>

const ranged = (value: number, by: number): Schemas['Ranged'] => ({ value, from: value - by, to: value + by })

const GROUPS = Array.from({ length: 10 }, (_each, at) => {
  const predicted = 0.04 + at * 0.045
  const observed = predicted * 1.35
  const interval = { from: observed - 0.04, to: observed + 0.05 }
  const edges = { lowest: predicted - 0.02, highest: predicted + 0.02 }
  return { rows: 240, events: Math.round(240 * observed), predicted, observed, ...interval, ...edges }
})

function figuresOf(outcomes: number, events: number, predicted: number): Figures {
  return {
    outcomes,
    events,
    observed: ranged(events / outcomes, 0.02),
    atThreshold: {
      threshold: 0.15,
      found: 300,
      missed: events - 300,
      falseAlarms: 500,
      spared: outcomes - events - 500,
      sensitivity: ranged(0.6, 0.05),
      specificity: ranged(0.7, 0.04),
      positiveValue: ranged(0.38, 0.04),
      negativeValue: ranged(0.88, 0.03),
    },
    risks: {
      meanPredicted: predicted,
      ratio: events / outcomes / predicted,
      inTheLarge: ranged(0.42, 0.1),
      slope: ranged(0.93, 0.12),
      brier: 0.1712,
      cStatistic: { ...ranged(0.71, 0.02), bound: 0.0003 },
      groups: GROUPS,
    },
  }
}

const DIGEST = `sha-256=:${'a'.repeat(43)}=:`
const FORMER = `sha-256=:${'b'.repeat(43)}=:`

const monthOf = (month: string, isWhole = true): Performance['months'][number] => ({
  month,
  scored: 400,
  outcomes: isWhole ? 388 : 120,
  coverage: isWhole ? 0.97 : 0.3,
  diedFirst: 6,
  unknown: 12,
  complete: isWhole,
  judged: isWhole,
  figures: isWhole ? figuresOf(376, 116, 0.22) : null,
})

export const ALARMED: Performance = {
  deployment: 'readmission',
  digest: DIGEST,
  model: 'readmission30@1.1.0',
  output: 'number',
  threshold: 0.15,
  competing: 'unstated',
  deathCountsAs: 'unknown',
  states: [
    {
      digest: DIGEST,
      model: 'readmission30@1.1.0',
      isPresent: true,
      first: '2025-09',
      last: '2026-03',
      scored: 2_400,
      outcomes: 2_060,
      hasOpenAlarm: true,
    },
    {
      digest: FORMER,
      model: 'readmission30@1.0.0',
      isPresent: false,
      first: '2024-01',
      last: '2025-08',
      scored: 7_900,
      outcomes: 7_700,
      hasOpenAlarm: false,
    },
  ],
  horizonDays: 30,
  reportingDays: 14,
  eta: 1,
  tolerance: 0,
  until: '2026-01',
  coverage: { scored: 2_000, outcomes: 1_960, coverage: 0.98, diedFirst: 30, unknown: 60 },
  verdict: { kind: 'alarm', text: 'The risks do not fit.' },
  alarm: {
    limit: 4_800,
    evidence: 91_233.4,
    open: [
      {
        digest: DIGEST,
        group: null,
        month: '2026-01',
        since: '2026-03-02T08:00:00.000Z',
        finding: {
          direction: 'more',
          from: '2025-11',
          about: 'all',
          scored: 1_200,
          expected: 264,
          least: 372,
          most: 420,
          text: 'Since November more had the event.',
        },
      },
      {
        digest: DIGEST,
        group: 'ward 3',
        month: '2026-01',
        since: '2026-03-02T08:00:00.000Z',
        finding: null,
      },
    ],
    reach: 'It can notice risks too low.',
    acknowledged: null,
  },
  bounds: {
    scored: 2_000,
    expected: 440,
    least: 560,
    most: 640,
    unknown: 0.04,
    ratio: { from: 1.27, to: 1.45 },
    inTheLarge: { from: 0.31, to: 0.49 },
    tooLow: { times: 1.3, unknownAtMost: 0.3, canNotice: true },
    tooHigh: { times: 0.7, unknownAtMost: 0.016, canNotice: false },
  },
  whole: figuresOf(1_850, 572, 0.22),
  wholeIfDeathsCount: figuresOf(1_880, 602, 0.22),
  months: ['2025-09', '2025-10', '2025-11', '2025-12', '2026-01', '2026-02'].map((month) =>
    monthOf(month, month < '2026-02'),
  ),
  seasons: [
    {
      month: 11,
      years: [
        { month: '2024-11', outcomes: 380, events: 84, expected: 83.2 },
        { month: '2025-11', outcomes: 376, events: 116, expected: 82.7 },
      ],
    },
  ],
  groups: [
    { group: 'ward 3', judged: true, figures: figuresOf(900, 300, 0.22), months: null },
    { group: null, judged: false, figures: null, months: null },
  ],
}

export const QUIET: Performance = {
  ...ALARMED,
  digest: FORMER,
  coverage: { scored: 2_000, outcomes: 1_360, coverage: 0.68, diedFirst: 30, unknown: 60 },
  verdict: { kind: 'quietBlind', text: 'No alarm.' },
  alarm: { ...ALARMED.alarm, evidence: 12, open: [] },
}

export const SHADOW: Schemas['ShadowReport'] = {
  model: 'readmission30@1.1.0',
  shadow: 'lace@1.1.1',
  share: 1,
  records: 2_000,
  both: 1_900,
  onlyAnswer: 50,
  onlyShadow: 30,
  neither: 20,
  droppedBodies: 0,
  meanDifference: 0.01,
  differences: [{ from: -0.05, to: 0, records: 900 }],
  thresholds: [{ threshold: 0.15, below: 1_000, up: 90, down: 60, above: 750 }],
  outcomes: {
    first: '2025-09',
    last: '2026-01',
    outcomes: 1_800,
    events: 540,
    threshold: 0.15,
    answer: figuresOf(1_800, 540, 0.22),
    shadow: figuresOf(1_800, 540, 0.29),
    moves: { events: { of: 540, up: 40, down: 12 }, others: { of: 1_260, up: 30, down: 44 } },
    unsent: { of: 60, up: 4, down: 3 },
    notSent: 0,
    comparison: {
      events: ranged(0.052, 0.02),
      others: ranged(0.011, 0.01),
      netBenefit: ranged(0.0123, 0.006),
      bounds: { least: ranged(0.009, 0.006), most: ranged(0.014, 0.006) },
      verdict: 'better',
    },
    text: 'The shadow is better.',
  },
}
