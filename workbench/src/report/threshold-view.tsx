/** What each threshold would flag, find and miss, and whether the model is worth using there. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { Report } from '../shapes/report.ts'
import { Table } from '../ui/table.tsx'
import { DecisionChart } from './decision-chart.tsx'
import { fixedText, shareText } from './figure-text.ts'
import { LegendKey } from './legend-key.tsx'
import { RocChart } from './roc-chart.tsx'

export function ThresholdView(props: {
  readonly report: Report
  readonly threshold: number | undefined
}): VNode {
  const { report, threshold } = props
  const { figures, recalibration } = report
  const words = useWords()
  const { t } = words
  const isListed = figures.thresholds.some((each) => each.threshold === threshold)
  return (
    <section aria-labelledby="thresholds-title">
      <h3 id="thresholds-title">{t('report.thresholds')}</h3>
      <p>{t('report.thresholdsHint')}</p>
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
            key: String(each.threshold),
            head: isOwn ? (
              <>
                {words.percent(each.threshold)} <span class="tag">{t('report.own')}</span>
              </>
            ) : (
              words.percent(each.threshold)
            ),
            cells: [
              shareText(words, each.flagged),
              shareText(words, each.sensitivity),
              shareText(words, each.specificity),
              shareText(words, each.positiveValue),
              shareText(words, each.negativeValue),
              fixedText(words, each.netBenefit, 4),
            ],
            ...(isOwn ? { kind: 'own' as const } : {}),
          }
        })}
      />
      <div class="beside">
        <figure>
          <RocChart figures={figures} threshold={threshold} />
          <figcaption>
            <LegendKey kind="curve" text={t('report.rocKey')} />
            {isListed && <LegendKey kind="own" text={t('report.own')} />}
            <LegendKey kind="ideal" text={t('report.chanceKey')} />
          </figcaption>
        </figure>
        <figure>
          <DecisionChart
            figures={figures}
            {...(recalibration === undefined ? {} : { before: recalibration.before })}
          />
          <figcaption>
            <LegendKey kind="curve" text={t('report.modelKey')} />
            {recalibration !== undefined && <LegendKey kind="before" text={t('report.beforeKey')} />}
            <LegendKey kind="everybody" text={t('report.everybodyKey')} />
            <LegendKey kind="nobody" text={t('report.nobodyKey')} />
          </figcaption>
        </figure>
      </div>
      <p class="quiet">{t('report.netBenefitHint')}</p>
    </section>
  )
}
