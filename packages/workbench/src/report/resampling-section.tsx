/** What samples of patients say: intervals of the figures, and how optimistic the figures of a model are on its own data. */
import type { VNode } from 'preact'
import type { Figure, Intervals, Optimism, Report, Span } from '../shapes/report.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { Table, tableRow, type TableRow } from '../ui/table.tsx'
import { useReportWords } from './report-words.ts'
import { Section } from './section.tsx'

export function ResamplingSection({ report }: { readonly report: Report }): VNode | null {
  const { t } = useReportWords()
  const { intervals, optimism, uncorrected } = report
  if (intervals === undefined && optimism === undefined && uncorrected === undefined) return null
  return (
    <Section id="resampling" title={t('report.resampling')}>
      {intervals !== undefined && <IntervalTable report={report} intervals={intervals} />}
      {optimism !== undefined && <OptimismTable optimism={optimism} />}
      {uncorrected !== undefined && (
        <p class="notice warn">
          {t('report.uncorrected')} <ServiceText text={uncorrected.join(' ')} />
        </p>
      )}
    </Section>
  )
}

function IntervalTable(props: { readonly report: Report; readonly intervals: Intervals }): VNode {
  const { figures, model } = props.report
  const { intervals } = props
  const { t, number, figure, share, range, shareRange } = useReportWords()
  const { calibration } = figures
  const own = figures.thresholds.find(({ threshold }) => threshold === model.threshold)
  const at = intervals.atThreshold
  const row = (head: string, value: Figure, [from, to]: Span, decimals: number): TableRow =>
    tableRow(head, figure(value, decimals), range({ from, to }, decimals))
  const shares = (head: string, value: Figure, [from, to]: Span): TableRow =>
    tableRow(head, share(value), shareRange(from, to))
  return (
    <>
      <p>{t('report.intervalsHint', { samples: number(intervals.samples), seed: String(intervals.seed) })}</p>
      <Table
        caption={t('report.intervalsTable')}
        columns={['', t('report.estimate'), t('report.interval')]}
        rows={[
          row(t('model.cStatistic'), figures.cStatistic.value, intervals.cStatistic, 4),
          row(t('report.brier'), figures.brier.value, intervals.brier, 5),
          row(t('report.scaledBrier'), figures.brier.scaled, intervals.scaledBrier, 4),
          row(t('report.calibrationInTheLarge'), calibration.inTheLarge.value, intervals.inTheLarge, 3),
          row(t('report.calibrationIntercept'), calibration.intercept.value, intervals.intercept, 3),
          row(t('report.slope'), calibration.slope.value, intervals.slope, 3),
          row(t('report.ratio'), calibration.ratio, intervals.ratio, 3),
          ...(own === undefined || at === undefined
            ? []
            : [
                shares(t('report.flaggedAt', { threshold: share(own.threshold) }), own.flagged, at.flagged),
                shares(t('report.sensitivity'), own.sensitivity, at.sensitivity),
                shares(t('report.specificity'), own.specificity, at.specificity),
                shares(t('report.positiveValue'), own.positiveValue, at.positiveValue),
                shares(t('report.negativeValue'), own.negativeValue, at.negativeValue),
                row(t('report.netBenefit'), own.netBenefit, at.netBenefit, 4),
              ]),
        ]}
      />
    </>
  )
}

function OptimismTable({ optimism }: { readonly optimism: Optimism }): VNode {
  const { t, number, figure } = useReportWords()
  const { of, ownData, samples, seed, failed } = optimism
  const ofRefit = ownData === true ? 'own' : 'other'
  const expected = of === 'refit' ? ofRefit : 'this'
  const rows = [
    [t('model.cStatistic'), optimism.cStatistic, 4],
    [t('report.brier'), optimism.brier, 5],
    [t('report.scaledBrier'), optimism.scaledBrier, 4],
    [t('report.slope'), optimism.slope, 3],
  ] as const
  return (
    <>
      <p>
        {t('report.optimismHint', {
          done: t(`report.done.${of}`),
          samples: number(samples),
          seed: String(seed),
          lost: failed > 0 ? t('report.lost', { failed: number(failed) }) : '',
        })}{' '}
        {t(`report.expect.${expected}`)}
      </p>
      <Table
        caption={t('report.optimismTable')}
        hasTitle
        columns={['', t('report.apparent'), t('report.optimism'), t('report.correctedShort')]}
        rows={rows.map(([name, each, decimals]) =>
          tableRow(
            name,
            figure(each.apparent, decimals),
            figure(each.optimism, decimals),
            figure(each.corrected, decimals),
          ),
        )}
      />
    </>
  )
}
