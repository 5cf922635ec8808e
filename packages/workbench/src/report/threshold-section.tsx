/** What each threshold would flag, find and miss, and whether the model is worth using there. */
import type { VNode } from 'preact'
import type { Report } from '../shapes/report.ts'
import { Table } from '../ui/table.tsx'
import { DecisionChart } from './charts/decision-chart.tsx'
import { LegendKey } from './charts/legend-key.tsx'
import { RocChart } from './charts/roc-chart.tsx'
import { useIsDocument, useReportWords } from './report-words.ts'
import { Section } from './section.tsx'

export function ThresholdSection(props: {
  readonly report: Report
  readonly threshold: number | undefined
}): VNode {
  const { report, threshold } = props
  const { figures, recalibration } = report
  const { t, figure, share } = useReportWords()
  const isDocument = useIsDocument()
  const isListed = figures.thresholds.some((each) => each.threshold === threshold)
  // The page knows which threshold a deployment uses. A document knows only the model's own.
  const tag = t(isDocument ? 'report.modelsOwn' : 'report.own')
  return (
    <Section id="thresholds" title={t('report.thresholds')}>
      <p>
        {t('report.thresholdsHint')}{' '}
        {isDocument && threshold !== undefined && t('report.ownMarked', { threshold: share(threshold) })}
      </p>
      <Table
        caption={t('report.thresholds')}
        columns={[
          t('report.threshold'),
          t('report.flagged'),
          t('report.sensitivity'),
          t('report.specificity'),
          t('report.positiveValue'),
          t('report.negativeValue'),
          t('report.netBenefit'),
        ]}
        rows={figures.thresholds.map((each) => {
          const isOwn = each.threshold === threshold
          return {
            head: (
              <>
                {share(each.threshold)}
                {isOwn && ' '}
                {isOwn && <span class="tag">{tag}</span>}
              </>
            ),
            cells: [
              share(each.flagged),
              share(each.sensitivity),
              share(each.specificity),
              share(each.positiveValue),
              share(each.negativeValue),
              figure(each.netBenefit, 4),
            ],
            kind: isOwn ? 'own' : undefined,
          }
        })}
      />
      <div class="beside">
        <figure>
          <RocChart figures={figures} threshold={threshold} />
          <figcaption>
            <LegendKey kind="curve" text={t('report.rocKey')} />
            {isListed && <LegendKey kind="own" text={tag} />}
            <LegendKey kind="ideal" text={t('report.chanceKey')} />
          </figcaption>
        </figure>
        <figure>
          <DecisionChart figures={figures} before={recalibration?.before} />
          <figcaption>
            <LegendKey kind="curve" text={t('report.modelKey')} />
            {recalibration !== undefined && <LegendKey kind="before" text={t('report.beforeKey')} />}
            <LegendKey kind="everybody" text={t('report.everybodyKey')} />
            <LegendKey kind="nobody" text={t('report.nobodyKey')} />
          </figcaption>
        </figure>
      </div>
      <p class="quiet">{t('report.netBenefitHint')}</p>
    </Section>
  )
}
