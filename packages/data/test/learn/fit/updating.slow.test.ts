/** The choice of recalibration: it finds a change that was made, and holds its level where patients have several rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { type Predictions, randomFrom } from '@patient-risk/statistics'
import { recalibrateModel } from '../../../src/learn/tasks/recalibrate-model.ts'
import { type ClosedTest, candidatesFor } from '../../../src/learn/fit/recalibrate-candidates.ts'
import { CATALOG, fileWith } from '../../../../../test/support/learning.ts'

const LOGISTIC: ModelDefinition['link'] = { kind: 'logistic', intercept: -3 }
const RISKS = [0.03, 0.05, 0.08, 0.11, 0.15, 0.2, 0.27, 0.33, 0.41, 0.5]
const LINKS: readonly ModelDefinition['link'][] = [
  LOGISTIC,
  { kind: 'recalibrated', of: LOGISTIC, intercept: 0.3, slope: 1.1 },
  { kind: 'scoreTable', from: 0, risks: RISKS },
  { kind: 'strata', strata: RISKS.map((risk, from) => ({ from, to: from, risk })) },
  { kind: 'survival', baseline: 0.96, rate: 0.25 },
]

function riskOf(link: ModelDefinition['link'], score: number): number {
  switch (link.kind) {
    case 'logistic':
      return 1 / (1 + Math.exp(-(link.intercept + 0.35 * score)))
    case 'recalibrated': {
      const risk = riskOf(link.of, score)
      return 1 / (1 + Math.exp(-(link.intercept + link.slope * Math.log(risk / (1 - risk)))))
    }
    case 'survival':
      return 1 - link.baseline ** Math.exp(link.rate * score)
    default:
      return RISKS[score] ?? Number.NaN
  }
}

/** How the rows of a patient come about: how many, and whether they are copies of one another. */
type Repeats = 'one row a patient' | 'one to five correlated rows' | 'each row five times'
const TERMS = 3

function rowsOf(repeats: Repeats, random: () => number): number {
  if (repeats === 'one row a patient') return 1
  if (repeats === 'each row five times') return 5
  return 1 + Math.floor(random() * 5)
}

/** Rows for which the model is true, or for which its log odds are changed. Rows of a patient share their inputs. */
function simulate(
  link: ModelDefinition['link'],
  repeats: Repeats,
  patients: number,
  random: () => number,
  change: (odds: number, points: readonly number[]) => number = (odds) => odds,
): ClosedTest {
  const risks: number[] = []
  const outcomes: number[] = []
  const clusters: number[] = []
  const points: number[] = []
  const unit = link.kind === 'logistic' || link.kind === 'recalibrated' ? 0.35 : 1
  for (let patient = 0; patient < patients; patient++) {
    const own = Array.from({ length: TERMS }, () => Math.floor(random() * 4))
    const risk = riskOf(
      link,
      own.reduce((sum, each) => sum + each, 0),
    )
    const odds = change(Math.log(risk / (1 - risk)), own)
    const truth = 1 / (1 + Math.exp(-odds))
    const shared = random()
    const rows = rowsOf(repeats, random)
    for (let row = 0; row < rows; row++) {
      // The risk of each row stays the true one; the shared draw makes rows of a patient alike.
      const draw = repeats === 'each row five times' || random() < 0.6 ? shared : random()
      risks.push(risk)
      outcomes.push(draw < truth ? 1 : 0)
      clusters.push(patient)
      points.push(...own.map((value) => unit * value))
    }
  }
  const predictions: Predictions = {
    risks: Float64Array.from(risks),
    outcomes: Uint8Array.from(outcomes),
    clusters: Int32Array.from(clusters),
  }
  return candidatesFor({ link, terms: [] }, predictions, Float64Array.from(points), TERMS).test()
}

const RUNS = 200
const MOST_WRONG = 0.08
for (const repeats of ['one row a patient', 'one to five correlated rows', 'each row five times'] as const) {
  for (const link of LINKS.filter(({ kind }) => kind === 'logistic' || kind === 'strata')) {
    test(`a true model with a link of kind ${link.kind} is left alone: ${repeats}`, () => {
      const random = randomFrom(4_000)
      const tests = Array.from({ length: RUNS }, () => simulate(link, repeats, 300, random))
      const changed = tests.filter(({ chosen }) => chosen !== 'none').length
      assert.ok(changed <= MOST_WRONG * RUNS, `changed ${changed} of ${RUNS}`)
      for (const { statistic } of tests.flatMap(({ comparisons }) => comparisons)) assert.ok(statistic >= 0)
    })
  }
  for (const link of LINKS) {
    test(`a planted change is found, with a link of kind ${link.kind}: ${repeats}`, () => {
      const random = randomFrom(9)
      const choices = (change: (odds: number) => number): readonly string[] =>
        Array.from({ length: 10 }, () => simulate(link, repeats, 1_500, random, change).chosen)
      const shift = choices((odds) => odds + 0.6)
      assert.ok(shift.every((chosen) => chosen !== 'none'))
      assert.ok(shift.filter((chosen) => chosen === 'intercept').length >= 7)
      const stretch = choices((odds) => 0.4 + 0.5 * odds)
      assert.ok(stretch.filter((chosen) => chosen === 'slope' || chosen === 'refit').length >= 8)
    })
  }
}

test('terms that count differently ask for a refit where the log odds are their sum, and are reported where not', () => {
  const wrong = (odds: number, [a = 0, b = 0]: readonly number[]): number => odds - 0.7 * a + 0.7 * b
  const random = randomFrom(3)
  assert.equal(simulate(LOGISTIC, 'one row a patient', 1_500, random, wrong).chosen, 'refit')
  const table = simulate(
    { kind: 'scoreTable', from: 0, risks: RISKS },
    'one row a patient',
    1_500,
    random,
    wrong,
  )
  assert.equal(table.full, 'slope')
  assert.ok((table.terms?.pValue ?? 1) < 0.001)
})

const hospital = CATALOG.models.get('hospital@1.0.1')?.definition as ModelDefinition
const HEADER =
  'haemoglobin,oncologyService,sodium,procedureDuringStay,acuteAdmission,inpatientAdmissions,stayDays,event'

function publishedRisk(score: number): number {
  if (score > 6) return 0.228
  return score > 4 ? 0.119 : 0.058
}

/** Records for HOSPITAL, with outcomes whose true risk is so many times the published one of their stratum. */
function hospitalRows(times: number, rows: number, seed: number): string {
  const random = randomFrom(seed)
  const lines = Array.from({ length: rows }, () => {
    const low = random() < 0.4
    const oncology = random() < 0.1
    const sodium = random() < 0.2
    const procedure = random() < 0.4
    const acute = random() < 0.7
    const admissions = Math.floor(random() * 8)
    const stay = 1 + Math.floor(random() * 9)
    const score =
      (low ? 1 : 0) +
      (oncology ? 2 : 0) +
      (sodium ? 1 : 0) +
      (procedure ? 1 : 0) +
      (acute ? 1 : 0) +
      (admissions > 5 ? 5 : 0) +
      (admissions > 1 && admissions <= 5 ? 2 : 0) +
      (stay > 4 ? 2 : 0)
    const event = random() < times * publishedRisk(score) ? 1 : 0
    return [low ? 10 : 13, oncology, sodium ? 130 : 140, procedure, acute, admissions, stay, event]
  })
  return `${[HEADER, ...lines.map((line) => line.join(','))].join('\n')}\n`
}

for (const [times, method] of [
  [1, 'none'],
  [1.3, 'intercept'],
  [2, 'slope'],
] as const) {
  test(`HOSPITAL where the true risk is ${times} times its own: ${method}`, async () => {
    const made = await recalibrateModel({
      catalog: CATALOG,
      data: { outcome: { column: 'event', yes: ['1'], no: ['0'] } },
      path: fileWith('rows.csv', hospitalRows(times, 4_000, 13)),
      today: 20260101,
      model: hospital,
      method: 'auto',
      version: '1.1.0',
      samples: 0,
    })
    const { recalibration, figures, warnings = [] } = made.report
    assert.equal(recalibration?.method, method)
    assert.ok(Math.abs(figures.calibration.ratio - 1) < (method === 'none' ? 0.1 : 0.001))
    // A published cut that moves is reported.
    assert.equal(
      warnings.some((text) => text.includes('cut at a score of 7 no longer holds')),
      times === 2,
    )
  })
}
