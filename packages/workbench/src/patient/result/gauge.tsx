/** The risk on a line from 0 to 100 %, with the threshold marked. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import { anchorAt } from '../../ui/ticks.ts'

export interface GaugeProps {
  readonly risk: number
  readonly threshold: number | undefined
  readonly before: number | undefined
}

const TICKS = [0, 0.25, 0.5, 0.75, 1]

export function Gauge({ risk, threshold, before }: GaugeProps): VNode {
  const { t, percent, threshold: thresholdText, risk: riskText } = useWords()
  const isHigh = threshold !== undefined && risk >= threshold
  const label = t('gauge.label', { risk: riskText(risk, threshold) })
  const line =
    threshold === undefined
      ? label
      : `${label} ${t(isHigh ? 'gauge.above' : 'gauge.below', { threshold: thresholdText(threshold) })}`
  const at = (share: number): number => 10 + share * 300
  return (
    <svg class={isHigh ? 'gauge high' : 'gauge'} viewBox="0 0 320 62" role="img" aria-label={line}>
      <rect class="track" x="10" y="24" width="300" height="12" rx="6" />
      <rect class="fill" x="10" y="24" width={Math.max(6, risk * 300)} height="12" rx="6" />
      {threshold !== undefined && (
        <g class="threshold">
          <line x1={at(threshold)} x2={at(threshold)} y1="18" y2="42" />
          <text x={Math.min(at(threshold), 250)} y="12" text-anchor={threshold < 0.2 ? 'start' : 'middle'}>
            {t('gauge.threshold', { threshold: thresholdText(threshold) })}
          </text>
        </g>
      )}
      {before !== undefined && <circle class="before" cx={at(before)} cy="30" r="5" />}
      {TICKS.map((tick) => (
        <text key={tick} class="tick" x={at(tick)} y="56" text-anchor={anchorAt(tick, 1)}>
          {percent(tick, 0)}
        </text>
      ))}
    </svg>
  )
}
