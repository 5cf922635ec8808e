/** The figures that a reader wants first, each with what it should be. */
import type { VNode } from 'preact'
import type { Estimate, Range, Report, Span } from '../shapes/report.ts'
import { useReportWords } from './report-words.ts'

export function ReportTiles({ report }: { readonly report: Report }): VNode {
  const { t, number, figure, share, range } = useReportWords()
  const { rows, events, cStatistic, calibration, brier } = report.figures
  const { slope, ratio, observed, meanPredicted } = calibration
  const { optimism, intervals } = report
  const isOfThis = optimism !== undefined && (optimism.of !== 'refit' || optimism.ownData === true)
  const interval = (of: Range): string => t('report.interval95', { range: range(of, 3) })
  const tiles: readonly (readonly [string, string, readonly string[]])[] = [
    [
      t('report.used'),
      number(rows),
      [t('report.usedNote', { events: number(events), share: share(events / rows) })],
    ],
    [
      t('model.cStatistic'),
      figure(cStatistic.value, 3),
      [
        interval(spanOf(cStatistic, intervals?.cStatistic)),
        t('report.chance'),
        ...(isOfThis ? [t('report.corrected', { value: figure(optimism.cStatistic.corrected, 3) })] : []),
      ],
    ],
    [
      t('report.slope'),
      figure(slope.value, 3),
      [interval(spanOf(slope, intervals?.slope)), t('report.ideal1')],
    ],
    [
      t('report.ratio'),
      figure(ratio, 3),
      [t('report.ratioNote', { observed: share(observed, 2), predicted: share(meanPredicted, 2) })],
    ],
    [t('report.brier'), figure(brier.value, 4), [t('report.scaled', { share: share(brier.scaled) })]],
  ]
  return (
    <dl class="figures report-figures">
      {tiles.map(([name, value, notes]) => (
        <div key={name} class="figure-box">
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd class="figure-note">{notes.join('; ')}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The interval by samples of patients where there is one: it holds also where a patient has several rows. */
function spanOf(estimate: Estimate, byPatient: Span | undefined): Range {
  return byPatient === undefined ? estimate : { from: byPatient[0], to: byPatient[1] }
}
