/** The estimates of a fit, with what they rest on. */
import type { VNode } from 'preact'
import type { Report } from '../shapes/report.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { useReportWords } from './report-words.ts'
import { Section } from './section.tsx'

export function FitSection({ report }: { readonly report: Report }): VNode | null {
  const { t, figure, range, pValue } = useReportWords()
  const { fit, figures } = report
  if (fit === undefined) return null
  const rarer = Math.min(figures.events, figures.rows - figures.events)
  const each = rarer / Math.max(1, fit.coefficients.length - 1)
  return (
    <Section id="fit" title={t('report.fit')}>
      <p>
        {t('report.fitBy')} <ServiceText text={fit.method} />.{' '}
        {t(fit.clustered ? 'report.clustered' : 'report.independent')}{' '}
        {t('report.eventsEach', { count: figure(each, 0) })}
      </p>
      <Table
        caption={t('report.fit')}
        columns={[
          t('report.term'),
          t('report.coefficient'),
          t('report.error'),
          t('report.interval'),
          t('report.oddsRatio'),
          t('report.interval'),
          'p',
        ]}
        rows={fit.coefficients.map(({ name, estimate, error, from, to, pValue: p }, index) =>
          tableRow(
            name,
            figure(estimate, 4),
            figure(error, 4),
            range({ from, to }, 4),
            // The intercept is not an odds ratio.
            index === 0 ? '' : figure(Math.exp(estimate), 3),
            index === 0 ? '' : range({ from: Math.exp(from), to: Math.exp(to) }, 3),
            pValue(p),
          ),
        )}
      />
    </Section>
  )
}
