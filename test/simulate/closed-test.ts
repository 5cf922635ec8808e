/**
 * The closed test of `learn recalibrate` on invented patients: how often it changes a model that is true (its level), and how
 * often it finds one that is wrong (its power), beside the power that it states itself. Five terms, prevalence 13.5 %,
 * c-statistic about 0.71. Four rows of a patient share three of their inputs, and a latent normal value with correlation 0.5.
 */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { type Candidates, type Method, candidatesFor, integer } from '@patient-risk/data/learn'
import { randomFrom, type Predictions, wilson } from '@patient-risk/statistics'
import type { Table } from './table.ts'

const EVENTS = [20, 43, 81, 162, 325] as const
const PREVALENCE = 0.135
const WEIGHTS = [0.55, 0.4, 0.3, 0.6, 0.5] as const
const INTERCEPT = -2.427
const TERMS = WEIGHTS.length
/** Of the rows of a patient, in the inputs that vary and in the outcome. */
const CORRELATION = 0.5

/** A sum of terms, for which a refit is the largest candidate; and a link for which the slope is. */
const LINKS = { slope: 'scoreTable', refit: 'logistic' } as const
type Largest = keyof typeof LINKS

/** How the true log odds differ from those of the model. */
type Truth = (odds: number) => number
const AS_MODELLED: Truth = (odds) => odds

/** An invented sample: as many rows as give this number of events on average. */
function sampleOf(events: number, rowsEach: number, random: () => number, truth = AS_MODELLED) {
  const patients = Math.round(events / PREVALENCE / rowsEach)
  const rows = patients * rowsEach
  const points = new Float64Array(rows * TERMS)
  const risks = new Float64Array(rows)
  const outcomes = new Uint8Array(rows)
  const clusters = new Int32Array(rows)
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const part = Math.sqrt(CORRELATION)
  const rest = Math.sqrt(1 - CORRELATION)
  let row = 0
  for (let patient = 0; patient < patients; patient++) {
    const fixed = [normal(), random() < 0.4 ? 1 : 0, random() < 0.2 ? 1 : 0] as const
    const shared = [normal(), normal(), normal()] as const
    for (let each = 0; each < rowsEach; each++) {
      const [age, one, other] = fixed
      const inputs = [age, part * shared[0] + rest * normal(), part * shared[1] + rest * normal(), one, other]
      let odds = INTERCEPT
      for (let term = 0; term < TERMS; term++) {
        const own = (WEIGHTS[term] as number) * (inputs[term] as number)
        points[row * TERMS + term] = own
        odds += own
      }
      risks[row] = 1 / (1 + Math.exp(-odds))
      // With one row a patient this is a plain draw.
      const draw = normalShare(part * shared[2] + rest * normal())
      outcomes[row] = draw < 1 / (1 + Math.exp(-truth(odds))) ? 1 : 0
      clusters[row] = patient
      row++
    }
  }
  const predictions: Predictions = { risks, outcomes, clusters }
  return { predictions, points }
}

function candidatesIn({ predictions, points }: ReturnType<typeof sampleOf>, largest: Largest): Candidates {
  const link = { kind: LINKS[largest] } as ModelDefinition['link']
  return candidatesFor({ link, terms: [] }, predictions, points, TERMS)
}

interface Cell {
  readonly events: number
  readonly rows: number
  readonly largest: Largest
  readonly truth?: Truth
  readonly isWeighted?: boolean
}

/** The share of samples in which the closed test takes another method than these. */
function otherShare(
  { events, rows, largest, truth, isWeighted }: Cell,
  runs: number,
  right: readonly Method[],
): number {
  const random = randomFrom(1_000 * events + 10 * rows + KINDS.findIndex((kind) => kind.largest === largest))
  let other = 0
  for (let run = 0; run < runs; run++) {
    const { predictions, points } = sampleOf(events, rows, random, truth)
    const weights = isWeighted === true ? predictions.risks.map(() => 0.5 + 1.5 * random()) : undefined
    const sample = { predictions: { ...predictions, ...(weights && { weights }) }, points }
    if (!right.includes(candidatesIn(sample, largest).test().chosen)) other++
  }
  return other / runs
}

const KINDS = [1, 4].flatMap((rows) => (['slope', 'refit'] as const).map((largest) => ({ rows, largest })))

/** Level: true models that are changed, with the upper end of Wilson's 95 % interval. */
function levelTable(runs: number, sizes: readonly number[]): Table {
  return {
    title: `True models that the closed test changes, %, and the upper 95 % limit (${integer(runs)} runs each)`,
    head: ['rows of a patient', 'largest candidate', ...sizes.map((events) => `${events} events`)],
    rows: KINDS.map(({ rows, largest }) => [
      String(rows),
      largest,
      ...sizes.map((events) => {
        const share = otherShare({ events, rows, largest }, runs, ['none'])
        return `${percent(share)} (${percent(wilson(share, runs).to)})`
      }),
    ]),
  }
}

/** The intercept that leaves the prevalence as it is, found once for each slope. */
const TRUTHS: readonly { readonly change: 'slope' | 'odds'; readonly by: number; readonly truth: Truth }[] = [
  { change: 'slope', by: 0.6, truth: (odds) => -0.694 + 0.6 * odds },
  { change: 'slope', by: 0.8, truth: (odds) => -0.339 + 0.8 * odds },
  { change: 'odds', by: 1.3, truth: (odds) => odds + Math.log(1.3) },
]
/** Samples from which the stated power is taken. */
const STATED = 20

/** Power: wrong models that are changed, beside what the command states from the data of a sample. */
function powerTable(runs: number, sizes: readonly number[]): Table {
  return {
    title: `Wrong models that the closed test changes, %, and in brackets what it states itself (${integer(runs)} runs each)`,
    head: ['truth', 'rows of a patient', 'largest candidate', ...sizes.map((events) => `${events} events`)],
    rows: TRUTHS.flatMap(({ change, by, truth }) =>
      KINDS.filter(({ rows, largest }) => (rows === 1) === (largest === 'slope')).map(({ rows, largest }) => [
        change === 'slope' ? `slope ${by}` : `odds × ${by}`,
        String(rows),
        largest,
        ...sizes.map((events) => {
          const random = randomFrom(events)
          const stated = Array.from({ length: STATED }, () =>
            candidatesIn(sampleOf(events, rows, random, truth), largest)
              .power()
              .find((each) => each.change === change && each.by === by),
          )
          const mean = stated.reduce((sum, each) => sum + (each?.power ?? Number.NaN), 0) / STATED
          return `${percent(otherShare({ events, rows, largest, truth }, runs, ['none']), 0)} (${percent(mean, 0)})`
        }),
      ]),
    ),
  }
}

/** The later steps: models that need a new intercept or slope, and get a larger change. And weights, for which nothing is claimed. */
function laterTable(runs: number, sizes: readonly number[]): Table {
  const cases: readonly (readonly [string, Partial<Cell>, readonly Method[]])[] = [
    ['odds × 1.6: more than an intercept', { truth: (odds) => odds + Math.log(1.6) }, ['none', 'intercept']],
    ['slope 0.5: a refit', { truth: (odds) => -0.9 + 0.5 * odds }, ['none', 'intercept', 'slope']],
    ['a true model, rows with weights: any change', { isWeighted: true }, ['none']],
  ]
  return {
    title: `More change than needed, %, where a refit is the largest candidate (${integer(runs)} runs each)`,
    head: ['truth', 'rows of a patient', ...sizes.map((events) => `${events} events`)],
    rows: cases.flatMap(([name, change, right]) =>
      [1, 4].map((rows) => [
        name,
        String(rows),
        ...sizes.map((events) =>
          percent(otherShare({ events, rows, largest: 'refit', ...change }, runs, right)),
        ),
      ]),
    ),
  }
}

const percent = (share: number, decimals = 1): string => (100 * share).toFixed(decimals)

export function simulate({ reduced }: { readonly reduced: boolean }): Promise<Table[]> {
  const tables = reduced
    ? [levelTable(2_000, EVENTS.slice(0, 3)), powerTable(400, [81]), laterTable(1_000, [81])]
    : [levelTable(10_000, EVENTS), powerTable(2_000, [...EVENTS, 650]), laterTable(2_000, EVENTS)]
  return Promise.resolve(tables)
}

/** The normal distribution function, to seven digits (Abramowitz and Stegun 7.1.26). */
function normalShare(value: number): number {
  const x = Math.abs(value) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const tail = 0.5 * series * Math.exp(-x * x)
  return value > 0 ? 1 - tail : tail
}
