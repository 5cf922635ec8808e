/** A small chart with two axes: lines, steps or bars over a range, and a threshold where there is one. */
import type { VNode } from 'preact'

export interface ChartProps {
  readonly label: string
  readonly x: readonly [number, number]
  readonly y: readonly [number, number]
  readonly points: readonly (readonly [number, number])[]
  readonly kind: 'line' | 'bars'
  readonly xTicks: readonly number[]
  readonly yTicks: readonly number[]
  readonly xTitle: string
  readonly yTitle: string
  readonly threshold?: { readonly y: number; readonly text: string } | undefined
  readonly xText: (value: number) => string
  readonly yText: (value: number) => string
}

const WIDTH = 420
const HEIGHT = 220
const LEFT = 52
const RIGHT = 12
const TOP = 24
const BOTTOM = 44

export function Chart(props: ChartProps): VNode {
  const { x, y, points, kind } = props
  const atX = (value: number): number => LEFT + ((value - x[0]) / (x[1] - x[0] || 1)) * (WIDTH - LEFT - RIGHT)
  const atY = (value: number): number =>
    HEIGHT - BOTTOM - ((value - y[0]) / (y[1] - y[0] || 1)) * (HEIGHT - TOP - BOTTOM)
  const line = points
    .map(([px, py], index) => `${index === 0 ? 'M' : 'L'}${round(atX(px))} ${round(atY(py))}`)
    .join('')
  const step = points.length > 1 ? Math.abs(atX(points[1]?.[0] ?? 0) - atX(points[0]?.[0] ?? 0)) : 24
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={props.label}>
      {props.yTicks.map((tick) => (
        <g key={tick}>
          <line class="rule" x1={LEFT} x2={WIDTH - RIGHT} y1={atY(tick)} y2={atY(tick)} />
          <text class="tick" x={LEFT - 8} y={atY(tick) + 4} text-anchor="end">
            {props.yText(tick)}
          </text>
        </g>
      ))}
      {props.xTicks.map((tick) => (
        <text key={tick} class="tick" x={atX(tick)} y={HEIGHT - BOTTOM + 16} text-anchor="middle">
          {props.xText(tick)}
        </text>
      ))}
      <line class="axis" x1={LEFT} x2={WIDTH - RIGHT} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
      {kind === 'line' ? (
        <path class="curve" d={line} />
      ) : (
        points.map(([px, py]) => (
          <rect
            key={px}
            class={props.threshold !== undefined && py >= props.threshold.y ? 'column high' : 'column'}
            x={atX(px) - step * 0.36}
            y={atY(py)}
            width={step * 0.72}
            height={Math.max(1, HEIGHT - BOTTOM - atY(py))}
            rx="1.5"
          />
        ))
      )}
      {props.threshold !== undefined && props.threshold.y <= y[1] && (
        <g class="threshold">
          <line x1={LEFT} x2={WIDTH - RIGHT} y1={atY(props.threshold.y)} y2={atY(props.threshold.y)} />
          <text x={LEFT + 4} y={atY(props.threshold.y) - 5}>
            {props.threshold.text}
          </text>
        </g>
      )}
      <text class="axis-title" x={LEFT} y="13">
        {props.yTitle}
      </text>
      <text class="axis-title" x={WIDTH - RIGHT} y={HEIGHT - 8} text-anchor="end">
        {props.xTitle}
      </text>
    </svg>
  )
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Round figures that cover a range, about `wanted` of them. */
export function ticks([from, to]: readonly [number, number], wanted: number): readonly number[] {
  const rough = (to - from || 1) / wanted
  const unit = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((each) => each * unit).find((each) => each >= rough) ?? rough
  const first = Math.ceil(from / step - 1e-9) * step
  const found: number[] = []
  for (let tick = first; tick <= to + step * 1e-9; tick += step) found.push(Math.round(tick / unit) * unit)
  return found.map((tick) => Math.round(tick * 1e9) / 1e9 + 0)
}
