/** Net benefit of the model against flagging everybody and nobody, over the thresholds where it matters. */
import type { VNode } from 'preact'
import type { Figures, ThresholdFigures } from '../../shapes/report.ts'
import { Plot, axisOf, lineOf, pathOf, percentAxis, type Point } from '../../ui/plot.tsx'
import { useReportWords, type ReportWords } from '../report-words.ts'

const BELOW_ZERO = 0.15

export function DecisionChart(props: {
  readonly figures: Figures
  readonly before: Figures | undefined
}): VNode {
  const words = useReportWords()
  const { t, percent } = words
  const { decision } = props.figures
  const shown = usefulPart(decision)
  const to = shown.at(-1)?.threshold ?? 0.5
  const most = Math.max(0.005, ...decision.map(({ netBenefit }) => netBenefit)) * 1.1
  const least = -most * BELOW_ZERO
  const own = (at: readonly ThresholdFigures[]): readonly Point[] =>
    at
      .filter(({ threshold, netBenefit }) => threshold <= to && netBenefit >= least)
      .map(({ threshold, netBenefit }) => [threshold, netBenefit])
  const everybody = shown
    .filter(({ netBenefitAll }) => netBenefitAll >= least)
    .map(({ threshold, netBenefitAll }): Point => [threshold, netBenefitAll])
  return (
    <Plot
      label={decisionLabel(shown, t, percent)}
      x={percentAxis(words, [0, to], 6, t('report.threshold'))}
      y={axisOf([least, most], 5, t('report.netBenefit'), (value) => words.number(value, 3))}
      height={320}
    >
      {(area) => (
        <>
          <path class="nobody" d={lineOf(area, 0, 0, to, 0)} />
          <path class="everybody" d={pathOf(area, everybody)} />
          {props.before !== undefined && <path class="before" d={pathOf(area, own(props.before.decision))} />}
          <path class="curve" d={pathOf(area, own(shown))} />
        </>
      )}
    </Plot>
  )
}

/** Up to a little beyond the last threshold at which anything is gained. */
function usefulPart(decision: readonly ThresholdFigures[]): readonly ThresholdFigures[] {
  const useful = decision.filter(({ netBenefit, netBenefitAll }) => netBenefit > 0.0005 || netBenefitAll > 0)
  const last = (useful.at(-1)?.threshold ?? 0.2) + 0.05
  return decision.filter(({ threshold }) => threshold <= last + 1e-9)
}

/** From which threshold to which the model gains more than flagging everybody or nobody. */
function decisionLabel(
  shown: readonly ThresholdFigures[],
  t: ReportWords['t'],
  percent: (share: number, decimals?: number) => string,
): string {
  const better = shown.filter(
    ({ netBenefit, netBenefitAll }) => netBenefit > Math.max(0, netBenefitAll) + 1e-6,
  )
  const first = better[0]
  const last = better.at(-1)
  if (first === undefined || last === undefined) return t('report.decisionNone')
  return t('report.decisionLabel', { from: percent(first.threshold, 0), to: percent(last.threshold, 0) })
}
