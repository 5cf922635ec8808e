/** The sections of a fit and of a recalibration: estimates, tests, and who moves. */
import type { Moves } from '../recalibrate/reclassify.ts'
import { escapeText, figure, interval, share, table, whole } from './parts.ts'
import type { RecalibrationReport, Report } from './report.ts'

export function fitSection({ fit, figures }: Report): string {
  if (fit === undefined) return ''
  const rows = fit.coefficients.map((each, index) => [
    escapeText(each.name),
    figure(each.estimate, 4),
    figure(each.error, 4),
    interval(each, 4),
    index === 0 ? '' : figure(Math.exp(each.estimate), 3),
    index === 0 ? '' : `${figure(Math.exp(each.from), 3)} to ${figure(Math.exp(each.to), 3)}`,
    each.pValue < 0.001 ? '&lt; 0.001' : figure(each.pValue, 3),
  ])
  const errors = fit.clustered
    ? 'Standard errors allow for several rows of one patient.'
    : 'Rows count as independent in the standard errors.'
  const rarer = Math.min(figures.events, figures.rows - figures.events)
  const each = rarer / Math.max(1, fit.coefficients.length - 1)
  return `<h2>The estimates</h2>
<p>Logistic regression by ${escapeText(fit.method)}. ${errors} ${figure(each, 0)} events for each estimate.</p>
${table('', ['Term', 'Coefficient', 'Standard error', '95 % interval', 'Odds ratio', '95 % interval', 'p'], rows)}`
}

const METHODS = {
  none: 'leave it as it is',
  intercept: 'a new intercept',
  slope: 'a new intercept and slope',
  refit: 'a new weight for every term',
} as const

export function recalibrationSection(report: Report): string {
  const { recalibration, figures, optimism } = report
  if (recalibration === undefined) return ''
  const { before, test } = recalibration
  const chosen =
    recalibration.chosenBy === 'user'
      ? 'chosen by hand'
      : `chosen by a closed test at ${share(test.level, 0)}`
  const tests = test.comparisons.map((each) => [
    `Against: ${METHODS[each.against]}`,
    figure(each.statistic, 2),
    String(each.degrees),
    each.pValue < 0.001 ? '&lt; 0.001' : figure(each.pValue, 3),
    each.pValue < test.level ? 'not enough' : 'enough',
  ])
  const sides = [
    ['c-statistic', before.cStatistic.value, figures.cStatistic.value, 4],
    ['Brier score', before.brier.value, figures.brier.value, 5],
    ['Mean predicted', before.calibration.meanPredicted, figures.calibration.meanPredicted, 4],
    ['Observed', before.calibration.observed, figures.calibration.observed, 4],
    [
      'Calibration in the large',
      before.calibration.inTheLarge.value,
      figures.calibration.inTheLarge.value,
      3,
    ],
    ['Calibration slope', before.calibration.slope.value, figures.calibration.slope.value, 3],
  ] as const
  return `<h2>What was changed</h2>
<p>From ${escapeText(recalibration.from)}: ${METHODS[recalibration.method]}, ${chosen}. ${escapeText(numbers(recalibration))}</p>
${weightTable(recalibration)}
${table(
  'Old and new on the same data',
  ['', 'Before', 'After'],
  sides.map(([name, old, now, decimals]) => [name, figure(old, decimals), figure(now, decimals)]),
)}
${table(`Is a smaller change enough? Each is compared with ${METHODS[test.full]}, from the smallest on, by a robust score test that counts patients.`, ['', 'Statistic', 'Degrees', 'p', 'Verdict'], tests)}
${termsTest(recalibration)}
${movesTable(recalibration)}
${optimism === undefined ? '<p class="quiet">The figures after recalibration come from the data that it was made on; on later patients they will be somewhat worse.</p>' : ''}`
}

/** What the closed test cannot choose for a table of scores, said beside it. */
function termsTest({ test: { terms, level } }: RecalibrationReport): string {
  if (terms === undefined || terms.pValue >= level) return ''
  return `<p class="warn">The terms do not count here as they do in the published score (p ${terms.pValue < 0.001 ? '&lt; 0.001' : `= ${figure(terms.pValue, 3)}`}). A refit replaces its table by a formula with new weights; ask for it with --method refit.</p>`
}

function numbers({ method, intercept, slope }: RecalibrationReport): string {
  if (method === 'none') return ''
  const stretch = slope === undefined ? '' : `, slope ${figure(slope, 4)}`
  return `In log odds: intercept ${figure(intercept, 4)}${stretch}.`
}

function weightTable({ weights }: RecalibrationReport): string {
  if (weights === undefined) return ''
  return table(
    'How much each term counts now; 1 is as before',
    ['Term', 'Weight', 'Standard error'],
    weights.map(({ term, weight, error }) => [escapeText(term), figure(weight, 3), figure(error, 3)]),
  )
}

function movesTable({ reclassification }: RecalibrationReport): string {
  if (reclassification === undefined) return ''
  const { events, others, thresholdBefore, thresholdAfter } = reclassification
  const all = (moves: Moves): number => moves.stayNo + moves.stayYes + moves.toNo + moves.toYes
  const row = (name: string, moves: Moves): string[] => [
    name,
    whole(all(moves)),
    whole(moves.stayNo),
    `${whole(moves.toYes)} (${share(moves.toYes / all(moves))})`,
    `${whole(moves.toNo)} (${share(moves.toNo / all(moves))})`,
    whole(moves.stayYes),
  ]
  return table(
    `Who moves, at a threshold of ${share(thresholdBefore)} before and ${share(thresholdAfter)} after`,
    ['', 'Rows', 'No, as before', 'No to Yes', 'Yes to No', 'Yes, as before'],
    [row('With the event', events), row('Without', others)],
  )
}
