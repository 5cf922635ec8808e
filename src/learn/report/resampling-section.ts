/** What samples of patients say: intervals of the figures, and how much a model flatters itself on its own data. */
import type { Span } from '../figures/intervals.ts'
import type { Optimism } from '../figures/optimism.ts'
import { escapeText, figure, share, table, whole } from './parts.ts'
import type { Report } from './report.ts'

export function resamplingSection(report: Report): string {
  const parts = [intervalTable(report), optimismTable(report), refusal(report)].filter((part) => part !== '')
  return parts.length === 0 ? '' : `<h2>What to expect of new patients</h2>\n${parts.join('\n')}`
}

const DONE = {
  fit: 'The model was fitted again',
  refit: 'The model’s specification was fitted on these data, and again',
  recalibration: 'The recalibration, including its choice of method, was repeated',
} as const

function optimismTable({ optimism }: Report): string {
  if (optimism === undefined) return ''
  const { samples, seed, failed } = optimism
  const rows = (
    [
      ['c-statistic', optimism.cStatistic, 4],
      ['Brier score', optimism.brier, 5],
      ['Scaled Brier score', optimism.scaledBrier, 4],
      ['Calibration slope', optimism.slope, 3],
    ] as const
  ).map(([name, each, decimals]) => [
    name,
    figure(each.apparent, decimals),
    figure(each.optimism, decimals),
    figure(each.corrected, decimals),
  ])
  const lost = failed > 0 ? `; ${whole(failed)} of them gave no result` : ''
  return `<p>A model does better on the data that it was made from than on new patients. ${DONE[optimism.of]} in ${whole(samples)} samples of
patients (seed ${seed}${lost}); each time the result was evaluated on its sample and on the original data. ${meaning(optimism)}</p>
${table('Corrected for optimism', ['', 'On its own data', 'Optimism', 'Corrected'], rows)}`
}

function meaning({ of, ownData }: Optimism): string {
  if (of !== 'refit') return 'The corrected figures are those to expect.'
  return ownData === true
    ? 'These are the data that the model was made from, so its figures above are too good by the optimism; the corrected ones are those to expect.'
    : 'These are not the data that the model was made from, so its figures above stand as they are; the table says what a model fitted to these data would do.'
}

function refusal({ uncorrected }: Report): string {
  if (uncorrected === undefined) return ''
  return `<p class="warn">Nothing is corrected for optimism: ${uncorrected.map(escapeText).join(' ')}</p>`
}

function intervalTable({ intervals, figures, model }: Report): string {
  if (intervals === undefined) return ''
  const { calibration } = figures
  const own = figures.thresholds.find(({ threshold }) => threshold === model.threshold)
  const { atThreshold } = intervals
  const number = (name: string, value: number, [from, to]: Span, decimals: number): string[] => [
    name,
    figure(value, decimals),
    `${figure(from, decimals)} to ${figure(to, decimals)}`,
  ]
  const percents = (name: string, value: number, [from, to]: Span): string[] => [
    name,
    share(value),
    `${share(from)} to ${share(to)}`,
  ]
  const rows = [
    number('c-statistic', figures.cStatistic.value, intervals.cStatistic, 4),
    number('Brier score', figures.brier.value, intervals.brier, 5),
    number('Scaled Brier score', figures.brier.scaled, intervals.scaledBrier, 4),
    number('Calibration in the large', calibration.inTheLarge.value, intervals.inTheLarge, 3),
    number('Calibration intercept', calibration.intercept.value, intervals.intercept, 3),
    number('Calibration slope', calibration.slope.value, intervals.slope, 3),
    number('Observed over expected', calibration.ratio, intervals.ratio, 3),
    ...(own === undefined || atThreshold === undefined
      ? []
      : [
          percents(`Flagged at ${share(own.threshold)}`, own.flagged, atThreshold.flagged),
          percents('Sensitivity', own.sensitivity, atThreshold.sensitivity),
          percents('Specificity', own.specificity, atThreshold.specificity),
          percents('Positive predictive value', own.positiveValue, atThreshold.positiveValue),
          percents('Negative predictive value', own.negativeValue, atThreshold.negativeValue),
          number('Net benefit', own.netBenefit, atThreshold.netBenefit, 4),
        ]),
  ]
  return `<p>Another group of patients would have given somewhat other figures. ${whole(intervals.samples)} samples of patients (seed ${intervals.seed}), all rows of a patient together, say how far.</p>
${table('', ['', 'Estimate', '95 % interval'], rows)}`
}
