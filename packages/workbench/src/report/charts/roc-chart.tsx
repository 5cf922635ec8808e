/** Sensitivity against the share of false alarms over all thresholds, with the model's own threshold. */
import type { VNode } from 'preact'
import type { Figures, ThresholdFigures } from '../../shapes/report.ts'
import { Plot, lineOf, pathOf, percentAxis, type Point } from '../../ui/plot.tsx'
import { useReportWords } from '../report-words.ts'

export function RocChart(props: {
  readonly figures: Figures
  readonly threshold: number | undefined
}): VNode {
  const { figures, threshold } = props
  const words = useReportWords()
  const { t, percent } = words
  const own = figures.thresholds.find((each) => each.threshold === threshold)
  const label = t('report.rocLabel', { c: words.figure(figures.cStatistic.value, 3) })
  return (
    <Plot
      label={own === undefined ? label : `${label} ${t('report.rocAt', partsOf(own, percent))}`}
      x={percentAxis(words, [0, 1], 5, t('report.falseAlarms'))}
      y={percentAxis(words, [0, 1], 5, t('report.sensitivity'))}
      height={320}
    >
      {(area) => (
        <>
          <path class="ideal" d={lineOf(area, 0, 0, 1, 1)} />
          <path class="curve" d={pathOf(area, rocPoints(figures.decision))} />
          {own !== undefined && (
            <g class="own">
              <circle cx={area.atX(1 - own.specificity)} cy={area.atY(own.sensitivity)} r="5" />
              <text x={area.atX(1 - own.specificity) + 10} y={area.atY(own.sensitivity) + 14}>
                {t('gauge.threshold', { threshold: percent(own.threshold) })}
              </text>
            </g>
          )}
        </>
      )}
    </Plot>
  )
}

/** From everybody flagged to nobody; rising thresholds go from right to left. */
function rocPoints(at: readonly ThresholdFigures[]): readonly Point[] {
  const middle = at.map(({ sensitivity, specificity }): Point => [1 - specificity, sensitivity])
  return [[1, 1], ...middle, [0, 0]]
}

function partsOf(own: ThresholdFigures, percent: (share: number) => string): Record<string, string> {
  return {
    threshold: percent(own.threshold),
    sensitivity: percent(own.sensitivity),
    specificity: percent(own.specificity),
  }
}
