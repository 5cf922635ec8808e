/** Months in order with their control limits: a line for what was seen, a band for what chance allows. */
import type { VNode } from 'preact'
import type { Limited } from '../../shapes/monitoring.ts'
import { Plot, axisOf, lineOf, pathOf, type Point } from '../../ui/plot.tsx'
import { useReportWords } from '../report-words.ts'

/** As many names of months as fit below a drawing. */
const MOST_NAMES = 4

export function ControlChart(props: {
  readonly title: string
  readonly centre: number
  readonly months: readonly string[]
  /** Where a month has too few rows it has no figure. */
  readonly limits: readonly (Limited | undefined)[]
}): VNode {
  const { title, centre, months, limits } = props
  const words = useReportWords()
  const known = limits.flatMap((limit, index) =>
    limit === undefined || limit.value === null || limit.low === null || limit.high === null
      ? []
      : [{ at: index + 1, value: limit.value, low: limit.low, high: limit.high, isOut: limit.isOut }],
  )
  const ends = known.flatMap(({ value, low, high }) => [value, low, high])
  const from = Math.min(centre, ...ends)
  const to = Math.max(centre, ...ends)
  const edge = (to - from) * 0.05 || 0.1
  const x: Point = [0.5, months.length + 0.5]
  const every = Math.ceil(months.length / MOST_NAMES)
  const shown = months.flatMap((_month, index) => (index % every === 0 ? [index + 1] : []))
  return (
    <Plot
      label={words.t('report.monitor.label', {
        what: title,
        out: known.filter(({ isOut }) => isOut).length,
        months: months.length,
      })}
      x={{
        range: x,
        ticks: shown,
        title: words.t('report.monitor.month'),
        text: (at) => months[at - 1] ?? '',
      }}
      y={axisOf([from - edge, to + edge], 5, title, (value) => words.number(value, 3).replace('-', '−'))}
      height={260}
    >
      {(area) => (
        <>
          <path
            class="band"
            d={`${pathOf(area, [
              ...known.map(({ at, high }): Point => [at, high]),
              ...known.map(({ at, low }): Point => [at, low]).reverse(),
            ])}Z`}
          />
          <path class="ideal" d={lineOf(area, x[0], centre, x[1], centre)} />
          <path
            class="curve"
            d={pathOf(
              area,
              known.map(({ at, value }) => [at, value]),
            )}
          />
          {known.map(({ at, value, isOut }) => (
            <g key={at} class={isOut ? 'own' : 'month'}>
              <circle cx={area.atX(at)} cy={area.atY(value)} r="4" />
            </g>
          ))}
        </>
      )}
    </Plot>
  )
}
