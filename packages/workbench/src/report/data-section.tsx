/** What was read, what was left out and why, and what was missing. */
import type { VNode } from 'preact'
import type { Report } from '../shapes/report.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { Table, tableRow, type TableRow } from '../ui/table.tsx'
import { useReportWords } from './report-words.ts'
import { Section } from './section.tsx'

export function DataSection({ report }: { readonly report: Report }): VNode {
  const { data, figures } = report
  const { t, number, share } = useReportWords()
  const { patients, events, rows } = figures
  return (
    <Section id="data" title={t('report.data')}>
      <DataTable
        data={data}
        more={[
          tableRow(t('report.patients'), number(patients)),
          tableRow(t('report.events'), `${number(events)} (${share(events / rows, 2)})`),
        ]}
      />
    </Section>
  )
}

export function DataTable(props: {
  readonly data: Report['data']
  /** What is counted of the rows that are used. */
  readonly more: readonly TableRow[]
}): VNode {
  const { data, more } = props
  const { t, number, share, field } = useReportWords()
  /** A row whose name ends with a word of the data. */
  const named = (text: string, own: string, count: number): TableRow => ({
    head: (
      <>
        {text} <span lang="en">{own}</span>
      </>
    ),
    cells: [number(count)],
  })
  const noun = data.noun.charAt(0).toUpperCase() + data.noun.slice(1)
  return (
    <>
      <p>
        {t('report.outcome')} <ServiceText text={data.outcome} />
      </p>
      {data.weights !== undefined && (
        <p>
          {t('report.weighted')} <code>{data.weights}</code>.
        </p>
      )}
      <Table
        caption={t('report.data')}
        columns={[<ServiceText key="noun" text={noun} />, t('report.count')]}
        rows={[
          named(t('report.readFrom'), data.file, data.read),
          ...data.leftOut.map(({ reason, rows }) => named(t('report.leftOut'), reason, rows)),
          tableRow(t('report.used'), number(data.used)),
          ...(data.assumed ?? []).map(({ input, rows }) =>
            tableRow(
              t('report.assumed', { input: field(input) }),
              `${number(rows)} (${share(rows / data.used)})`,
            ),
          ),
          ...data.missing
            .filter((each) => each.share > 0)
            .map((each) => tableRow(t('report.missing', { input: field(each.input) }), share(each.share))),
          ...more,
        ]}
      />
    </>
  )
}
