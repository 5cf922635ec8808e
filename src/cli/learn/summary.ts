/** The figures of a report in a few lines for the terminal. */
import { type Drift, DRIFT_ALARM, DRIFT_WATCH } from '../../engine/score/drift.ts'
import type { Estimate } from '../../learn/figures/predictions.ts'
import { percent, whole } from '../../learn/model/texts.ts'
import type { Report } from '../../learn/report/report.ts'
import { columns } from '../output/columns.ts'

export function summary(report: Report): string {
  const { figures, data, model, optimism, intervals, recalibration } = report
  const { calibration } = figures
  const rows: (readonly [string, string])[] = [
    ['model', `${model.id}@${model.version}`],
    [
      'data',
      `${whole(data.used)} of ${whole(data.read)} ${data.noun} used, ${whole(figures.patients)} patients, ${whole(figures.events)} events (${percent(figures.events / figures.rows, 2)})`,
    ],
    ...data.leftOut.map(({ reason, rows: count }) => ['left out', `${whole(count)}: ${reason}`] as const),
    ...(data.assumed ?? []).map(
      ({ input, rows: count }) => ['assumed', `${whole(count)}: ${input} missing`] as const,
    ),
    ['c-statistic', interval(figures.cStatistic, 4)],
    ['Brier', `${figures.brier.value.toFixed(5)}, scaled ${figures.brier.scaled.toFixed(4)}`],
    [
      'mean risk',
      `${calibration.meanPredicted.toFixed(4)} predicted, ${calibration.observed.toFixed(4)} observed`,
    ],
    ['in the large', interval(calibration.inTheLarge, 3)],
    ['slope', interval(calibration.slope, 3)],
  ]
  if (optimism !== undefined) {
    const { cStatistic, brier, scaledBrier, slope, samples, seed } = optimism
    const what = { fit: 'fitted', refit: 'fitted', recalibration: 'recalibrated' }[optimism.of]
    rows.push([
      'optimism',
      `c-statistic ${cStatistic.optimism.toFixed(4)}, Brier ${brier.optimism.toFixed(5)}, slope ${slope.optimism.toFixed(3)}: ${what} anew in ${samples} samples of patients, seed ${seed}`,
    ])
    rows.push([
      'corrected',
      `c-statistic ${cStatistic.corrected.toFixed(4)}, Brier ${brier.corrected.toFixed(5)}, scaled ${scaledBrier.corrected.toFixed(4)}, slope ${slope.corrected.toFixed(3)}`,
    ])
    if (optimism.ownData === false)
      rows.push(['', 'of a model made anew on these data; they are not those of this model'])
  }
  for (const reason of report.uncorrected ?? []) rows.push(['uncorrected', reason])
  if (intervals !== undefined) {
    rows.push([
      'by patient',
      `c-statistic ${span(intervals.cStatistic, 4)}, slope ${span(intervals.slope, 3)} (${intervals.samples} samples, seed ${intervals.seed})`,
    ])
  }
  if (recalibration !== undefined) {
    const { before } = recalibration
    rows.push(['method', `${recalibration.method}, by ${recalibration.chosenBy}`])
    rows.push([
      'before',
      `mean risk ${before.calibration.meanPredicted.toFixed(4)}, slope ${before.calibration.slope.value.toFixed(3)}, Brier ${before.brier.value.toFixed(5)}`,
    ])
  }
  return rows.map(([name, text]) => `  ${name.padEnd(13)}${text}\n`).join('')
}

export function driftTable(drift: Drift): string {
  const word = (index: number): string =>
    Number.isNaN(index)
      ? 'no value'
      : index > DRIFT_ALARM
        ? 'moved'
        : index > DRIFT_WATCH
          ? 'watch'
          : 'steady'
  const rows = [
    ...drift.inputs.map(({ name, index, missing, expectedMissing }) => [
      name,
      index.toFixed(4),
      word(index),
      percent(missing, 1),
      percent(expectedMissing, 1),
    ]),
    ['risk', drift.risk.toFixed(4), word(drift.risk), '', ''],
  ]
  const flagged = Number.isNaN(drift.expectedFlagged)
    ? ''
    : `Flagged: ${percent(drift.flagged, 1)} now, ${percent(drift.expectedFlagged, 1)} in development.\n`
  const table = columns(['INPUT', 'INDEX', 'READING', 'MISSING', 'THEN'], rows)
  return `${table}${flagged}${whole(drift.scored)} of ${whole(drift.records)} records scored.\n`
}

function interval({ value, from, to }: Estimate, decimals: number): string {
  // What rounds to nothing has no sign.
  const text = value.toFixed(decimals)
  return `${Number(text) === 0 ? text.replace('-', '') : text} (95 % ${span([from, to], decimals)})`
}

function span([from, to]: readonly [number, number], decimals: number): string {
  return `${from.toFixed(decimals)} to ${to.toFixed(decimals)}`
}
