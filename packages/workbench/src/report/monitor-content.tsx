/** What `patient-risk learn monitor` found: two control charts, what is out of control, and the months as a table. */
import type { ComponentChildren, VNode } from 'preact'
import type { Limited, Monitoring } from '../shapes/monitoring.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { ControlChart } from './charts/control-chart.tsx'
import { LegendKey } from './charts/legend-key.tsx'
import { useReportWords } from './report-words.ts'

export function MonitorContent({ monitoring }: { readonly monitoring: Monitoring }): VNode {
  const { t, number, figure, share, range } = useReportWords()
  const { months, alarms, expectedC } = monitoring
  const names = months.map(({ month }) => month)
  const cells = (limited: Limited | undefined): readonly ComponentChildren[] =>
    limited === undefined
      ? [t('report.tooFew'), '']
      : [
          `${figure(limited.value, 3)}${limited.isOut ? ' *' : ''}`,
          range({ from: limited.low, to: limited.high }, 3),
        ]
  const charts = [
    [t('report.calibrationInTheLarge'), 0, months.map(({ inTheLarge }) => inTheLarge)],
    [t('report.monitor.cStatistic'), expectedC, months.map(({ cStatistic }) => cStatistic)],
  ] as const
  return (
    <>
      {alarms.length === 0 && <p class="notice">{t('report.monitor.inControl')}</p>}
      {alarms.map((alarm) => (
        <p key={alarm} class="notice warn">
          <ServiceText text={alarm} />
        </p>
      ))}
      <section class="beside">
        {charts.map(([title, centre, limits]) => (
          <figure key={title}>
            <ControlChart title={title} centre={centre} months={names} limits={limits} />
            <figcaption>
              <LegendKey kind="band" text={t('report.monitor.bandKey')} />
              <LegendKey kind="ideal" text={t('report.monitor.centreKey')} />
              <LegendKey kind="month" text={t('report.monitor.inKey')} />
              <LegendKey kind="own" text={t('report.monitor.outKey')} />
            </figcaption>
          </figure>
        ))}
      </section>
      <section>
        <Table
          caption={t('report.monitor.table')}
          hasTitle
          columns={[
            t('report.monitor.month'),
            t('report.rows'),
            t('report.events'),
            t('report.predicted'),
            t('report.observed'),
            t('report.inTheLarge'),
            t('report.monitor.limits'),
            t('report.monitor.cStatistic'),
            t('report.monitor.limits'),
            t('report.monitor.evidence'),
          ]}
          rows={months.map((each) =>
            tableRow(
              each.month,
              number(each.rows),
              number(each.events),
              share(each.meanPredicted, 2),
              share(each.observed, 2),
              ...cells(each.inTheLarge),
              ...cells(each.cStatistic),
              figure(each.evidence, 1),
            ),
          )}
        />
      </section>
    </>
  )
}
