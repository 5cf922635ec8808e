/** Whether the risks are of the right size, and how they spread. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { Report } from '../shapes/report.ts'
import { Table } from '../ui/table.tsx'
import { CalibrationChart } from './calibration-chart.tsx'
import { DistributionChart } from './distribution-chart.tsx'
import { shareRange } from './figure-text.ts'
import { LegendKey } from './legend-key.tsx'

export function CalibrationView({ report }: { readonly report: Report }): VNode {
  const { figures, recalibration } = report
  const words = useWords()
  const { t } = words
  return (
    <section aria-labelledby="calibration-title">
      <h3 id="calibration-title">{t('report.calibration')}</h3>
      <p>{t('report.calibrationHint')}</p>
      <div class="beside">
        <figure>
          <CalibrationChart
            figures={figures}
            {...(recalibration === undefined ? {} : { before: recalibration.before })}
          />
          <figcaption>
            <LegendKey kind="decile" text={t('report.groupsKey')} />
            {figures.curve !== undefined && <LegendKey kind="curve" text={t('report.curveKey')} />}
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
          </figcaption>
        </figure>
      </div>
      <details>
        <summary>{t('report.groupsTable')}</summary>
        <Table
          caption={t('report.groupsTable')}
          columns={[
            t('report.predictedRisk'),
            t('list.rows'),
            t('report.events'),
            t('report.predicted'),
            t('report.observed'),
            t('report.interval'),
          ]}
          rows={figures.groups.map((group) => ({
            key: String(group.lowest),
            head: shareRange(words, group.lowest, group.highest),
            cells: [
              words.number(group.rows),
              words.number(group.events),
              words.percent(group.predicted),
              words.percent(group.observed),
              shareRange(words, group.from, group.to),
            ],
          }))}
        />
      </details>
    </section>
  )
}
