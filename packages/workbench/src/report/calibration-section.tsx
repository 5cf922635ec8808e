/** Whether the risks are of the right size, and how they spread. */
import type { VNode } from 'preact'
import type { Estimate, Report } from '../shapes/report.ts'
import { Table, tableRow, type TableRow } from '../ui/table.tsx'
import { CalibrationChart } from './charts/calibration-chart.tsx'
import { DistributionChart } from './charts/distribution-chart.tsx'
import { LegendKey } from './charts/legend-key.tsx'
import { useIsDocument, useReportWords } from './report-words.ts'
import { Section } from './section.tsx'

export function CalibrationSection({ report }: { readonly report: Report }): VNode {
  const { figures, recalibration } = report
  const { calibration, curve } = figures
  const { t, number, figure, share, range, shareRange } = useReportWords()
  const row = (head: string, estimate: Estimate, ideal: number): TableRow =>
    tableRow(head, figure(estimate.value, 3), figure(estimate.error, 3), range(estimate, 3), String(ideal))
  return (
    <Section id="calibration" title={t('report.calibration')}>
      <p>
        {t('report.calibrationHint', {
          predicted: share(calibration.meanPredicted, 2),
          observed: share(calibration.observed, 2),
        })}{' '}
        {curve !== undefined &&
          t('report.distance', { mean: share(curve.meanDistance, 2), most: share(curve.distance90, 2) })}
      </p>
      <div class="beside">
        <figure>
          <CalibrationChart figures={figures} before={recalibration?.before} />
          <figcaption>
            <LegendKey kind="decile" text={t('report.groupsKey')} />
            {curve !== undefined && <LegendKey kind="curve" text={t('report.curveKey')} />}
            {recalibration?.before.curve !== undefined && (
              <LegendKey kind="before" text={t('report.beforeKey')} />
            )}
            <LegendKey kind="ideal" text={t('report.idealKey')} />
          </figcaption>
        </figure>
        <figure>
          <DistributionChart figures={figures} />
          <figcaption>
            <LegendKey kind="without" text={t('report.withoutKey')} />
            <LegendKey kind="with" text={t('report.withKey')} />
            <span>{t('report.distributionHint')}</span>
          </figcaption>
        </figure>
      </div>
      <Table
        caption={t('report.calibrationTable')}
        hasTitle
        columns={['', t('report.estimate'), t('report.error'), t('report.interval'), t('report.ideal')]}
        rows={[
          row(t('report.inTheLargeFull'), calibration.inTheLarge, 0),
          row(t('report.intercept'), calibration.intercept, 0),
          row(t('report.slopeShort'), calibration.slope, 1),
          tableRow(t('report.ratio'), figure(calibration.ratio, 3), '', '', '1'),
        ]}
      />
      <details open={useIsDocument()}>
        <summary>{t('report.groupsTable')}</summary>
        <Table
          caption={t('report.groupsTable')}
          columns={[
            t('report.predictedRisk'),
            t('report.rows'),
            t('report.events'),
            t('report.predicted'),
            t('report.observed'),
            t('report.interval'),
          ]}
          rows={figures.groups.map((group) =>
            tableRow(
              shareRange(group.lowest, group.highest),
              number(group.rows),
              number(group.events),
              share(group.predicted),
              share(group.observed),
              shareRange(group.from, group.to),
            ),
          )}
        />
      </details>
    </Section>
  )
}
