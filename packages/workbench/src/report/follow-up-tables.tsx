/** The figures of a validation by times of follow-up: at the horizon, by groups of risk, and by parts of the data. */
import type { VNode } from 'preact'
import type { FollowUpMeasure, FollowUpReading } from '../shapes/follow-up.ts'
import type { Estimate, Figure, Range } from '../shapes/report.ts'
import { Table, tableRow, type TableRow } from '../ui/table.tsx'
import { useReportWords } from './report-words.ts'

interface ReadingProps {
  readonly reading: FollowUpReading
  readonly day: number
}

export function FollowUpFigures({ reading, day }: ReadingProps): VNode {
  const { t, figure, share, range, shareRange } = useReportWords()
  const { observed, ratio, meanRisk, inTheLarge, slope, intercept, brier, area, concordance } = reading
  const rangeOf = (measure: FollowUpMeasure, estimate?: Estimate): Range | undefined => {
    const sampled = reading.intervals?.[measure]
    return sampled === undefined ? estimate : { from: sampled[0], to: sampled[1] }
  }
  const row = (
    head: string,
    value: Figure,
    within: Range | undefined,
    decimals: number,
    ideal = '',
  ): TableRow =>
    tableRow(head, figure(value, decimals), within === undefined ? '' : range(within, decimals), ideal)
  const wholeRange = rangeOf('observed', observed) ?? observed
  const isCompeting = reading.deathIs === 'none'
  const discrimination = isCompeting
    ? [
        row(t('report.followUp.eventFree'), area.eventFree, rangeOf('eventFreeArea'), 3),
        row(t('report.followUp.wolbers', { day }), concordance.wolbers, rangeOf('wolbers'), 3),
      ]
    : [
        row(t('report.followUp.uno', { day }), concordance.uno, rangeOf('uno'), 3),
        row(t('report.followUp.harrell', { day }), concordance.harrell, rangeOf('harrell'), 3),
      ]
  return (
    <Table
      caption={t('report.followUp.figures', { day })}
      hasTitle
      columns={['', t('report.estimate'), t('report.interval'), t('report.ideal')]}
      rows={[
        tableRow(
          t('report.followUp.observed'),
          share(observed.value),
          shareRange(wholeRange.from, wholeRange.to),
          '',
        ),
        tableRow(t('report.meanPredicted'), share(meanRisk), '', ''),
        row(t('report.ratio'), ratio.value, rangeOf('ratio', ratio), 3, '1'),
        row(t('report.inTheLargeFull'), inTheLarge.value, rangeOf('inTheLarge', inTheLarge), 3, '0'),
        row(t('report.intercept'), intercept.value, rangeOf('intercept', intercept), 3, '0'),
        row(t('report.slope'), slope.value, rangeOf('slope', slope), 3, '1'),
        row(t('report.brier'), brier.value, rangeOf('brier'), 4, '0'),
        row(t('report.followUp.brierConstant'), brier.constant, undefined, 4),
        row(t('report.scaledBrier'), brier.scaled, rangeOf('scaledBrier'), 4, '1'),
        row(t('report.followUp.area', { day }), area.value, rangeOf('area'), 3, '1'),
        ...discrimination,
      ]}
    />
  )
}

export function FollowUpGroups({ reading }: Pick<ReadingProps, 'reading'>): VNode {
  const { t, number, share, shareRange } = useReportWords()
  return (
    <Table
      caption={t('report.followUp.groups')}
      hasTitle
      columns={[
        t('report.predictedRisk'),
        t('report.rows'),
        t('report.followUp.with'),
        t('report.followUp.diedFirst'),
        t('report.predicted'),
        t('report.observed'),
        t('report.interval'),
      ]}
      rows={reading.groups.map((group) =>
        tableRow(
          shareRange(group.lowest, group.highest),
          number(group.rows),
          number(group.events),
          number(group.diedFirst),
          share(group.meanRisk),
          share(group.observed.value),
          shareRange(group.observed.from, group.observed.to),
        ),
      )}
    />
  )
}

export function FollowUpParts({ reading, day }: ReadingProps): VNode | null {
  const { t, number, share, figure, range, field } = useReportWords()
  const { parts } = reading
  if (parts.length === 0) return null
  return (
    <>
      <Table
        caption={t('report.subgroups')}
        hasTitle
        columns={[
          t('report.group'),
          t('report.rows'),
          t('report.followUp.with'),
          t('report.followUp.diedFirst'),
          t('report.predicted'),
          t('report.observed'),
          t('report.ratio'),
          t('report.interval'),
        ]}
        rows={parts.map(({ by, level, rows, events, diedFirst, figures }) => {
          const counts = [number(rows), number(events), number(diedFirst)]
          const head = `${field(by)}: ${level}`
          if (figures === undefined) return tableRow(head, ...counts, t('report.tooFew'), '', '', '')
          const { meanRisk, observed, ratio } = figures
          return tableRow(
            head,
            ...counts,
            share(meanRisk),
            share(observed.value),
            figure(ratio.value, 2),
            range(ratio, 2),
          )
        })}
      />
      <p>{t('report.followUp.parts', { day })}</p>
    </>
  )
}
