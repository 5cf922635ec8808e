/** From the score to the risk, drawn, with the threshold. */
import type { VNode } from 'preact'
import { compileLink } from 'patient-risk-engine'
import { useWords } from '../i18n/words.ts'
import type { Link, Model } from '../shapes/model.ts'
import { axisOf, type Point } from '../ui/plot.tsx'
import { ticks } from '../ui/ticks.ts'
import { Chart } from './chart.tsx'

const STEPS = 80

export function LinkView({ model }: { readonly model: Model }): VNode {
  const words = useWords()
  const { t } = words
  const { link } = model
  const original = link.kind === 'recalibrated' ? link.of : link
  const threshold = model.deployment.threshold ?? model.threshold?.risk
  const x = rangeOf(original)
  const isStepped = original.kind === 'scoreTable' || original.kind === 'strata'
  const points = pointsOf(link, x, isStepped ? x[1] - x[0] : STEPS)
  const top = Math.min(1, Math.max(...points.map(([, risk]) => risk), threshold ?? 0) * 1.15)
  const low = points[0]
  const high = points.at(-1)
  return (
    <Chart
      label={t('link.label', {
        from: words.number(low?.[0] ?? 0),
        low: words.percent(low?.[1] ?? 0),
        to: words.number(high?.[0] ?? 0),
        high: words.percent(high?.[1] ?? 0),
      })}
      kind={isStepped ? 'bars' : 'line'}
      x={{
        range: isStepped ? [x[0] - 0.6, x[1] + 0.6] : x,
        ticks: isStepped ? ticks(x, 10).filter(Number.isInteger) : ticks(x, 6),
        title: t(original.kind === 'logistic' ? 'link.scoreOdds' : 'link.score'),
        text: (value) => words.number(value),
      }}
      y={axisOf([0, top], 5, t('result.risk'), (value) => words.percent(value, 0))}
      points={points}
      threshold={
        threshold === undefined
          ? undefined
          : { y: threshold, text: t('gauge.threshold', { threshold: words.threshold(threshold) }) }
      }
    />
  )
}

function rangeOf(original: Exclude<Link, { kind: 'recalibrated' }>): Point {
  switch (original.kind) {
    case 'logistic':
      // Around a risk of 50 %, and more of the lower risks, where most people are.
      return [-original.intercept - 3.5, -original.intercept + 2.5]
    case 'scoreTable':
      return [original.from, original.from + original.risks.length - 1]
    case 'strata':
      return [original.strata[0]?.from ?? 0, original.strata.at(-1)?.to ?? 1]
    case 'identity':
      return [0, 1]
    case 'survival':
      return [0, 8]
  }
}

/** Scores at equal steps with their risks. Of a table of scores each step is one of them. */
function pointsOf(link: Link, [from, to]: Point, steps: number): readonly Point[] {
  const riskAt = compileLink(link)
  return Array.from({ length: steps + 1 }, (_each, index) => {
    const score = from + ((to - from) * index) / Math.max(1, steps)
    return [score, riskAt(score)] as const
  })
}
