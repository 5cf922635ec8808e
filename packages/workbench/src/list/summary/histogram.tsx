/** How the risks of a list are distributed. The threshold is the edge of a bar; a bar is a button that shows its rows. */
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { anchorAt, percentDecimals } from '../../ui/ticks.ts'
import { binEdges, countBins } from './bins.ts'
import type { ListResults } from '../score/list-results.ts'

export interface HistogramProps {
  readonly results: ListResults
  /** Counts the changes of the results, which are changed in place. */
  readonly version: number
  readonly threshold: number | undefined
  readonly isYesNo: boolean
  readonly range: readonly [number, number] | undefined
  readonly onRange: (range: readonly [number, number] | undefined) => void
}

const WIDTH = 320
const HEIGHT = 150
const TOP = 30
const FLOOR = 126

export function Histogram(props: HistogramProps): VNode {
  const { results, version, threshold, isYesNo, range } = props
  const words = useWords()
  const edges = useMemo(
    () => (isYesNo ? [0, 0.5, 1] : binEdges(results, threshold)),
    [results, version, threshold, isYesNo],
  )
  const counts = useMemo(() => countBins(results, edges), [results, version, edges])
  const bins = counts.length
  const most = Math.max(1, ...counts)
  const step = WIDTH / bins
  const edge = (bin: number): number => edges[bin] ?? 1
  const rangeOf = (bin: number): readonly [number, number] => [
    edge(bin),
    bin === bins - 1 ? 1.01 : edge(bin + 1),
  ]
  const isChosen = (bin: number): boolean => range !== undefined && Math.abs(range[0] - edge(bin)) < 1e-9
  const decimals = percentDecimals(edges)
  const nameOf = (bin: number): string => {
    if (isYesNo) return words.t(bin === 1 ? 'result.yes' : 'result.no')
    const from = words.percent(edge(bin), decimals)
    return words.t('range', { from, to: words.percent(edge(bin + 1), decimals) })
  }
  const choose = (bin: number): void => props.onRange(isChosen(bin) ? undefined : rangeOf(bin))
  const line =
    threshold === undefined || isYesNo ? -1 : edges.findIndex((each) => Math.abs(each - threshold) < 1e-9)
  const shown = [...edges.keys()].filter((bin) => bin % tickStep(bins) === 0)
  const ticks = isYesNo
    ? counts.map((_count, bin) => ({ at: bin + 0.5, text: nameOf(bin), anchor: 'middle' as const }))
    : shown.map((bin) => ({
        at: bin,
        text: words.percent(edge(bin), percentDecimals([edge(bin)])),
        anchor: anchorAt(bin, bins),
      }))
  return (
    <svg
      class="histogram"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="group"
      aria-label={words.t('histogram.label')}
    >
      {counts.map((count, bin) => {
        const height = count === 0 ? 0 : Math.max(2, (count / most) * (FLOOR - TOP))
        const isHigh = isYesNo ? bin === 1 : line >= 0 && bin >= line
        const label = `${nameOf(bin)}: ${words.count('rows', count)}`
        return (
          <g
            key={bin}
            class={`bin${isHigh ? ' high' : ''}${isChosen(bin) ? ' chosen' : ''}`}
            role="button"
            // As SVG writes it: with a capital letter it is no attribute there, and no key reaches the bar.
            tabindex={0}
            aria-pressed={isChosen(bin)}
            aria-label={label}
            onClick={() => choose(bin)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return
              event.preventDefault()
              choose(bin)
            }}
          >
            <title>{label}</title>
            <rect class="hit" x={bin * step} y="14" width={step} height={FLOOR - 14} />
            <rect
              class="column"
              x={bin * step + 1}
              y={FLOOR - height}
              width={step - 2}
              height={height}
              rx="1.5"
            />
            {count > 0 && (
              <text class="count" x={(bin + 0.5) * step} y={FLOOR - height - 3} text-anchor="middle">
                {words.number(count)}
              </text>
            )}
          </g>
        )
      })}
      <line class="axis" x1="0" x2={WIDTH} y1={FLOOR} y2={FLOOR} />
      {line >= 0 && threshold !== undefined && (
        <g class="threshold" aria-hidden="true">
          <line x1={line * step} x2={line * step} y1="14" y2={FLOOR} />
          <text x={Math.min(line * step + 4, WIDTH - 90)} y="11">
            {words.t('gauge.threshold', { threshold: words.threshold(threshold) })}
          </text>
        </g>
      )}
      <g aria-hidden="true">
        {ticks.map(({ at, text, anchor }) => (
          <text key={at} class="tick" x={at * step} y="142" text-anchor={anchor}>
            {text}
          </text>
        ))}
      </g>
    </svg>
  )
}

/** At most about seven labels fit below the axis. */
function tickStep(bins: number): number {
  return Math.ceil(bins / 6)
}
