/** How the predicted risks spread among those with and without the event, each group adding up to 100 %. */
import type { VNode } from 'preact'
import type { Figures } from '../../shapes/report.ts'
import { Plot, percentAxis } from '../../ui/plot.tsx'
import { useReportWords } from '../report-words.ts'

/** A bin with less than this of either group is not worth the width. */
const LEAST_SHARE = 0.001

export function DistributionChart({ figures }: { readonly figures: Figures }): VNode {
  const { histogram, events, rows } = figures
  const words = useReportWords()
  const { t, percent } = words
  const sharesOf = (counts: readonly number[], of: number): readonly number[] =>
    counts.map((count) => count / Math.max(1, of))
  const withEvent = sharesOf(histogram.events, events)
  const without = sharesOf(histogram.others, rows - events)
  const last = 1 + Math.max(4, lastWorthy(withEvent), lastWorthy(without))
  const most = Math.max(...withEvent, ...without) * 1.05
  const to = last * histogram.width
  return (
    <Plot
      label={t('report.distributionLabel', {
        with: percent(meanOf(histogram.events, histogram.width)),
        without: percent(meanOf(histogram.others, histogram.width)),
      })}
      x={percentAxis(words, [0, to], 6, t('report.predictedRisk'))}
      y={percentAxis(words, [0, most], 4, t('report.share'))}
      height={320}
    >
      {({ atX, atY, floor }) =>
        Array.from({ length: last }, (_bin, bin) => {
          const left = atX(bin * histogram.width)
          const half = (atX((bin + 1) * histogram.width) - left - 1.5) / 2
          const bar = (share: number, at: number, name: string): VNode => (
            <rect
              class={name}
              x={at}
              y={atY(share)}
              width={Math.max(0.5, half)}
              height={Math.max(0, floor - atY(share))}
            />
          )
          return (
            <g key={bin}>
              {bar(without[bin] ?? 0, left, 'without')}
              {bar(withEvent[bin] ?? 0, left + half, 'with')}
            </g>
          )
        })
      }
    </Plot>
  )
}

function lastWorthy(shares: readonly number[]): number {
  return shares.reduce((last, share, bin) => (share > LEAST_SHARE ? bin : last), 0)
}

/** The mean risk of a group, estimated from its bins. */
function meanOf(counts: readonly number[], width: number): number {
  const all = counts.reduce((sum, count) => sum + count, 0)
  const sum = counts.reduce((total, count, bin) => total + count * (bin + 0.5) * width, 0)
  return all === 0 ? 0 : sum / all
}
