/** Predicted against observed: the curve with its band, groups of rising risk with their intervals, the diagonal of perfect calibration. */
import type { VNode } from 'preact'
import type { Figures } from '../../shapes/report.ts'
import { Plot, lineOf, pathOf, percentAxis, type Area, type Point } from '../../ui/plot.tsx'
import { useReportWords } from '../report-words.ts'

type Drawn = Pick<Figures, 'groups' | 'curve'> & {
  readonly calibration: Pick<Figures['calibration'], 'meanPredicted' | 'observed'>
}

export function CalibrationChart(props: Readonly<{ figures: Drawn; before?: Drawn | undefined }>): VNode {
  const { figures, before } = props
  const words = useReportWords()
  const { t, percent } = words
  const most = Math.max(reachOf(figures), before === undefined ? 0 : reachOf(before))
  const { meanPredicted, observed } = figures.calibration
  return (
    <Plot
      label={t('report.calibrationLabel', { predicted: percent(meanPredicted), observed: percent(observed) })}
      x={percentAxis(words, [0, most], 5, t('report.predictedRisk'))}
      y={percentAxis(words, [0, most], 5, t('report.observed'))}
      height={320}
    >
      {(area) => (
        <>
          {figures.curve !== undefined && <path class="band" d={bandOf(area, figures.curve.points)} />}
          <path class="ideal" d={lineOf(area, 0, 0, most, most)} />
          {before?.curve !== undefined && <path class="before" d={curveOf(area, before)} />}
          {figures.curve !== undefined && <path class="curve" d={curveOf(area, figures)} />}
          {figures.groups.map(({ predicted, observed: seen, from, to }) => (
            <g key={predicted} class="decile">
              <path d={lineOf(area, predicted, from, predicted, to)} />
              <circle cx={area.atX(predicted)} cy={area.atY(seen)} r="4" />
            </g>
          ))}
        </>
      )}
    </Plot>
  )
}

type CurvePoints = NonNullable<Figures['curve']>['points']

function bandOf(area: Area, points: CurvePoints): string {
  const upper = points.map(({ predicted, to }): Point => [predicted, to])
  const lower = points.map(({ predicted, from }): Point => [predicted, from]).reverse()
  return `${pathOf(area, [...upper, ...lower])}Z`
}

function curveOf(area: Area, { curve }: Drawn): string {
  const points = curve?.points.map(({ predicted, observed }): Point => [predicted, observed])
  return pathOf(area, points ?? [])
}

/** The highest risk worth drawing: hardly any rows are beyond it. */
function reachOf({ groups, curve }: Drawn): number {
  const highest = Math.max(
    0.05,
    ...groups.map(({ predicted, to }) => Math.max(predicted, to)),
    ...(curve?.points ?? []).map(({ predicted, observed }) => Math.max(predicted, observed)),
  )
  return Math.min(1, Math.ceil(highest * 21) / 20)
}
