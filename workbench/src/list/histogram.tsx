/** How the risks of a list are spread, with the threshold. A bar is a button: it shows the rows it stands for. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { ListResults } from './list-results.ts'
import { countBins } from './quality.ts'

export interface HistogramProps {
  readonly results: ListResults
  readonly threshold: number | undefined
  readonly isYesNo: boolean
  readonly range: readonly [number, number] | undefined
  readonly onRange: (range: readonly [number, number] | undefined) => void
}

const BINS = 20
const WIDTH = 640
const HEIGHT = 150
const FLOOR = 120

export function Histogram(props: HistogramProps): VNode {
  const { results, threshold, isYesNo, range } = props
  const words = useWords()
  const top = isYesNo ? 1 : topOf(results)
  const bins = isYesNo ? 2 : BINS
  const counts = countBins(results, bins, top)
  const most = Math.max(1, ...counts)
  const step = WIDTH / bins
  const edge = (bin: number): number => (isYesNo ? bin : (bin / bins) * top)
  const rangeOf = (bin: number): readonly [number, number] =>
    bin === bins - 1 ? [edge(bin), 1.01] : [edge(bin), edge(bin + 1)]
  const isChosen = (bin: number): boolean => range !== undefined && Math.abs(range[0] - edge(bin)) < 1e-9
  const nameOf = (bin: number): string => {
    if (isYesNo) return words.t(bin === 1 ? 'result.yes' : 'result.no')
    const decimals = top / bins < 0.01 ? 1 : 0
    const from = words.percent(edge(bin), decimals)
    return words.t('range', { from, to: words.percent(edge(bin + 1), decimals) })
  }
  const choose = (bin: number): void => props.onRange(isChosen(bin) ? undefined : rangeOf(bin))
  const lineAt = threshold === undefined || isYesNo || threshold > top ? undefined : (threshold / top) * WIDTH
  return (
    <svg
      class="histogram"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="group"
      aria-label={words.t('histogram.label')}
    >
      {counts.map((count, bin) => {
        const height = count === 0 ? 0 : Math.max(2, (count / most) * (FLOOR - 22))
        const isHigh = isYesNo ? bin === 1 : threshold !== undefined && edge(bin) >= threshold - 1e-9
        const label = `${nameOf(bin)}: ${words.count('rows', count)}`
        return (
          <g
            key={bin}
            class={`bin${isHigh ? ' high' : ''}${isChosen(bin) ? ' chosen' : ''}`}
            role="button"
            tabIndex={0}
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
            <rect class="hit" x={bin * step} y="0" width={step} height={FLOOR} />
            <rect
              class="column"
              x={bin * step + 1.5}
              y={FLOOR - height}
              width={step - 3}
              height={height}
              rx="1.5"
            />
          </g>
        )
      })}
      <line class="axis" x1="0" x2={WIDTH} y1={FLOOR} y2={FLOOR} />
      {lineAt !== undefined && threshold !== undefined && (
        <g class="threshold" aria-hidden="true">
          <line x1={lineAt} x2={lineAt} y1="14" y2={FLOOR} />
          <text x={lineAt + 4} y="12">
            {words.t('gauge.threshold', { threshold: words.percent(threshold) })}
          </text>
        </g>
      )}
      <g aria-hidden="true">
        {isYesNo
          ? counts.map((_count, bin) => (
              <text key={bin} class="tick" x={(bin + 0.5) * step} y="140" text-anchor="middle">
                {nameOf(bin)}
              </text>
            ))
          : [0, 0.25, 0.5, 0.75, 1].map((share) => (
              <text
                key={share}
                class="tick"
                x={share * WIDTH}
                y="140"
                text-anchor={share === 0 ? 'start' : share === 1 ? 'end' : 'middle'}
              >
                {words.percent(share * top, 0)}
              </text>
            ))}
      </g>
    </svg>
  )
}

/** The right end: the least of a few round figures that holds every risk. */
function topOf(results: ListResults): number {
  let most = 0
  for (const risk of results.risks) if (risk > most) most = risk
  return [0.1, 0.2, 0.4, 0.6, 0.8].find((end) => most <= end) ?? 1
}
