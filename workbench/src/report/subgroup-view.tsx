/** Whether the model holds for everybody: the same figures by sex, by age, by any column that was named. */
import type { VNode } from 'preact'
import { lookUp } from '../i18n/translate.ts'
import { useWords, type Words } from '../i18n/words.ts'
import type { Estimate, Report, Subgroup } from '../shapes/report.ts'
import { Table, type TableRow } from '../ui/table.tsx'
import { fixedText, intervalText, shareText } from './figure-text.ts'

export function SubgroupView({ report }: { readonly report: Report }): VNode {
  const words = useWords()
  const { t } = words
  const spans = report.subgroups.flatMap(({ figures }) => (figures === undefined ? [] : [figures.cStatistic]))
  const low = Math.min(0.5, ...spans.map(({ from }) => from ?? 0.5))
  const high = Math.max(0.8, ...spans.map(({ to }) => to ?? 0.8))
  const rows = report.subgroups.flatMap((group, index): readonly TableRow[] => {
    const isFirst = report.subgroups[index - 1]?.by !== group.by
    const row = rowOf(words, group, [low, high])
    return isFirst ? [headOf(words, group.by), row] : [row]
  })
  return (
    <section aria-labelledby="subgroups-title">
      <h3 id="subgroups-title">{t('report.subgroups')}</h3>
      <p>{t('report.subgroupsHint')}</p>
      <Table
        caption={t('report.subgroups')}
        columns={[
          t('report.group'),
          t('list.rows'),
          t('report.events'),
          t('model.cStatistic'),
          t('range', { from: words.fixed(low, 2), to: words.fixed(high, 2) }),
          t('report.ratio'),
          t('report.slope'),
          t('report.flagged'),
        ]}
        rows={rows}
      />
    </section>
  )
}

/** What the groups are made by: a field that the page has a name for, or a column of the data. */
function headOf({ language }: Words, by: string): TableRow {
  const known = lookUp(language, `field.${by}`)
  return { key: by, head: known ?? <span lang="en">{by}</span>, cells: [], kind: 'group' }
}

/** Bands of age are said in the reader's words; what a column holds stays as it is. */
function LevelName({ words, level }: { readonly words: Words; readonly level: string }): VNode {
  const band = /^(\d+) to (\d+)$/.exec(level)
  if (band !== null) return <>{words.t('range', { from: band[1] ?? '', to: band[2] ?? '' })}</>
  const end = /^(\d+) and over$/.exec(level)
  if (end !== null) return <>{`≥ ${end[1] ?? ''}`}</>
  return <span lang="en">{level}</span>
}

function rowOf(words: Words, group: Subgroup, axis: readonly [number, number]): TableRow {
  const { by, level, rows, events, figures } = group
  const head = <LevelName words={words} level={level} />
  const counts = [words.number(rows), words.number(events)]
  const key = `${by} ${level}`
  if (figures === undefined)
    return { key, head, cells: [...counts, words.t('report.tooFew'), '', '', '', ''] }
  const { cStatistic, ratio, slope, atThreshold } = figures
  return {
    key,
    head,
    cells: [
      ...counts,
      `${fixedText(words, cStatistic.value, 3)} (${intervalText(words, cStatistic, 3)})`,
      <Forest key="forest" estimate={cStatistic} axis={axis} />,
      fixedText(words, ratio, 2),
      fixedText(words, slope.value, 2),
      atThreshold === undefined ? '–' : shareText(words, atThreshold.flagged),
    ],
  }
}

const WIDTH = 120

/** The estimate with its interval on the axis that all groups share. The same figures stand beside it. */
function Forest(props: { readonly estimate: Estimate; readonly axis: readonly [number, number] }): VNode {
  const { estimate, axis } = props
  const [low, high] = axis
  const at = (value: number | null): number =>
    Math.round((((value ?? low) - low) / (high - low)) * (WIDTH - 8) * 10) / 10 + 4
  return (
    <svg class="chart forest" viewBox={`0 0 ${WIDTH} 16`} aria-hidden="true">
      <path class="ideal" d={`M${at(0.5)} 0V16`} />
      <path class="whisker" d={`M${at(estimate.from)} 8H${at(estimate.to)}`} />
      <rect class="estimate" x={at(estimate.value) - 3} y="5" width="6" height="6" />
    </svg>
  )
}
