/** Figures of parts of the data: groups and how far they differ, other assumptions, and sites or years. */
import type { ComponentChildren, VNode } from 'preact'
import type { Difference, Estimate, Report, Subgroup } from '../shapes/report.ts'
import { Table, type TableRow } from '../ui/table.tsx'
import { useReportWords, type ReportWords } from './report-words.ts'
import { Section } from './section.tsx'

type Axis = readonly [number, number]

/** Of the drawing of an estimate. */
const FOREST_WIDTH = 120

export function SubgroupSection({ report }: { readonly report: Report }): VNode | null {
  const { t } = useReportWords()
  const { subgroups, differences = [] } = report
  if (subgroups.length === 0) return null
  return (
    <Section id="subgroups" title={t('report.subgroups')}>
      <p>{t('report.subgroupsHint')}</p>
      <PartTable caption={t('report.subgroups')} parts={subgroups} threshold={report.model.threshold} />
      {differences.length > 0 && <DifferenceTable differences={differences} />}
    </Section>
  )
}

export function AssumptionSection({ report }: { readonly report: Report }): VNode | null {
  const { t } = useReportWords()
  const { sensitivity = [], model } = report
  if (sensitivity.length === 0) return null
  return (
    <Section id="assumptions" title={t('report.assumptions')}>
      <PartTable caption={t('report.assumptions')} parts={sensitivity} threshold={model.threshold} />
    </Section>
  )
}

export function SplitSection({ report }: { readonly report: Report }): VNode | null {
  const { t, estimate, figure } = useReportWords()
  const { split, model } = report
  if (split === undefined) return null
  const { by, how, parts, pooled } = split
  return (
    <Section id="split" title={t('report.split')}>
      <p>
        {t('report.splitHint', { by, how: t(`report.how.${how}`) })}{' '}
        {pooled !== undefined &&
          t('report.pooled', {
            c: estimate(pooled.cStatistic, 3),
            slope: estimate(pooled.slope, 3),
            between: figure(pooled.slope.between, 3),
          })}
      </p>
      <PartTable caption={t('report.split')} parts={parts} threshold={model.threshold} />
    </Section>
  )
}

/** Forests of the C statistic and of calibration in the large, with the other figures beside them. */
function PartTable(props: {
  readonly caption: string
  readonly parts: readonly Subgroup[]
  readonly threshold: number | undefined
}): VNode {
  const { caption, parts, threshold } = props
  const words = useReportWords()
  const { t } = words
  const known = parts.flatMap(({ figures }) => (figures === undefined ? [] : [figures]))
  const cAxis = axisOf(
    [0.5, 0.8],
    known.map(({ cStatistic }) => cStatistic),
  )
  const largeAxis = axisOf(
    [-0.2, 0.2],
    known.map(({ inTheLarge }) => inTheLarge),
  )
  const withAxis = (name: string, [from, to]: Axis): VNode => (
    <>
      {name} <span class="axis-range">{words.range({ from, to }, 2)}</span>
    </>
  )
  return (
    <Table
      caption={caption}
      columns={[
        t('report.group'),
        t('report.rows'),
        t('report.events'),
        withAxis(t('model.cStatistic'), cAxis),
        withAxis(t('report.inTheLarge'), largeAxis),
        t('report.ratio'),
        t('report.slopeShort'),
        threshold === undefined
          ? t('report.flagged')
          : t('report.flaggedAt', { threshold: words.share(threshold) }),
        t('report.sensitivity'),
      ]}
      rows={parts.flatMap((part, index): readonly TableRow[] => {
        const row = partRow(words, part, cAxis, largeAxis)
        return parts[index - 1]?.by === part.by ? [row] : [groupRow(words, part.by), row]
      })}
    />
  )
}

function axisOf([low, high]: Axis, spans: readonly Estimate[]): Axis {
  return [
    Math.min(low, ...spans.map(({ from }) => from ?? low)),
    Math.max(high, ...spans.map(({ to }) => to ?? high)),
  ]
}

/** What the parts are made by: a field that the page has a name for, or a column of the data. */
function groupRow({ field }: ReportWords, by: string): TableRow {
  const name = field(by)
  return { head: <span lang={name === by ? 'en' : undefined}>{name}</span>, cells: [], kind: 'group' }
}

function partRow(words: ReportWords, part: Subgroup, cAxis: Axis, largeAxis: Axis): TableRow {
  const { level, rows, events, figures } = part
  const head = <LevelName words={words} level={level} />
  const counts = [words.number(rows), words.number(events)]
  if (figures === undefined) return { head, cells: [...counts, words.t('report.tooFew'), '', '', '', '', ''] }
  const { cStatistic, inTheLarge, ratio, slope, atThreshold, sensitivity } = figures
  const drawn = (estimate: Estimate, decimals: number, axis: Axis, mark: number): ComponentChildren => (
    <>
      {words.estimate(estimate, decimals)}
      <Forest estimate={estimate} axis={axis} mark={mark} />
    </>
  )
  return {
    head,
    cells: [
      ...counts,
      drawn(cStatistic, 3, cAxis, 0.5),
      drawn(inTheLarge, 2, largeAxis, 0),
      words.figure(ratio, 2),
      words.estimate(slope, 2),
      atThreshold === undefined ? '–' : words.share(atThreshold.flagged),
      sensitivity === undefined
        ? '–'
        : `${words.share(sensitivity.value)} (${words.range(inPercent(sensitivity), 0)})`,
    ],
  }
}

/** Bands of age are said in the reader's words; what a column holds stays as it is. */
function LevelName({ words, level }: { readonly words: ReportWords; readonly level: string }): VNode {
  const band = /^(\d+) to (\d+)$/.exec(level)
  if (band !== null) return <>{words.t('range', { from: band[1] ?? '', to: band[2] ?? '' })}</>
  const end = /^(\d+) and over$/.exec(level)
  if (end !== null) return <>{`≥ ${end[1] ?? ''}`}</>
  return <span lang="en">{level}</span>
}

function DifferenceTable({ differences }: { readonly differences: readonly Difference[] }): VNode {
  const words = useReportWords()
  const { t, estimate } = words
  const points = (of: Estimate | undefined): string => (of === undefined ? '–' : estimate(inPercent(of), 1))
  return (
    <Table
      caption={t('report.differences')}
      hasTitle
      columns={[
        t('report.group'),
        t('report.comparedWith'),
        t('report.sensitivity'),
        t('report.specificity'),
        t('report.calibrationInTheLarge'),
      ]}
      rows={differences.map(({ by, level, reference, sensitivity, specificity, inTheLarge }) => ({
        head: (
          <>
            {`${words.field(by)}: `}
            <LevelName words={words} level={level} />
          </>
        ),
        cells: [
          <LevelName key="reference" words={words} level={reference} />,
          points(sensitivity),
          points(specificity),
          estimate(inTheLarge, 2),
        ],
      }))}
    />
  )
}

function inPercent({ value, error, from, to }: Estimate): Estimate {
  const times = (share: number | null): number | null => (share === null ? null : share * 100)
  return { value: times(value), error: times(error), from: times(from), to: times(to) }
}

/** An estimate with its interval on the axis that all rows of a table share. The figures are next to it. */
function Forest(props: {
  readonly estimate: Estimate
  readonly axis: Axis
  /** The value of no effect, which a line marks: chance, or no difference. */
  readonly mark: number
}): VNode {
  const { estimate, mark } = props
  const [low, high] = props.axis
  const at = (value: number | null): number =>
    Math.round((((value ?? low) - low) / (high - low)) * (FOREST_WIDTH - 8) * 10) / 10 + 4
  return (
    <svg class="chart forest" viewBox={`0 0 ${FOREST_WIDTH} 16`} aria-hidden="true">
      <path class="ideal" d={`M${at(mark)} 0V16`} />
      <path class="whisker" d={`M${at(estimate.from)} 8H${at(estimate.to)}`} />
      <rect class="estimate" x={at(estimate.value) - 3} y="5" width="6" height="6" />
    </svg>
  )
}
