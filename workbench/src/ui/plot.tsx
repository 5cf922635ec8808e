/** The frame of a drawing with two axes. The caller draws the marks, in the units of the data. */
import type { ComponentChildren, VNode } from 'preact'

export type Point = readonly [number, number]

/** Coordinates of a value. Values beyond an axis are drawn at its end. */
export interface Area {
  readonly atX: (value: number) => number
  readonly atY: (value: number) => number
  readonly left: number
  readonly right: number
  readonly floor: number
}

export interface PlotProps {
  /** A description of the drawing for screen readers. */
  readonly label: string
  readonly x: Point
  readonly y: Point
  readonly xTicks: readonly number[]
  readonly yTicks: readonly number[]
  readonly xTitle: string
  readonly yTitle: string
  readonly xText: (value: number) => string
  readonly yText: (value: number) => string
  readonly height?: number
  readonly children: (area: Area) => ComponentChildren
}

const WIDTH = 420
const HEIGHT = 220
const LEFT = 56
const RIGHT = 20
const TOP = 24
const BOTTOM = 44

export function Plot(props: PlotProps): VNode {
  const height = props.height ?? HEIGHT
  const floor = height - BOTTOM
  const right = WIDTH - RIGHT
  const atX = (value: number): number => round(LEFT + shareOf(value, props.x) * (right - LEFT))
  const atY = (value: number): number => round(floor - shareOf(value, props.y) * (floor - TOP))
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={props.label}>
      {props.yTicks.map((tick) => (
        <g key={tick}>
          <line class="rule" x1={LEFT} x2={right} y1={atY(tick)} y2={atY(tick)} />
          <text class="tick" x={LEFT - 8} y={atY(tick) + 4} text-anchor="end">
            {props.yText(tick)}
          </text>
        </g>
      ))}
      {props.xTicks.map((tick) => (
        <text key={tick} class="tick" x={atX(tick)} y={floor + 16} text-anchor="middle">
          {props.xText(tick)}
        </text>
      ))}
      <line class="axis" x1={LEFT} x2={right} y1={floor} y2={floor} />
      {props.children({ atX, atY, left: LEFT, right, floor })}
      <text class="axis-title" x={LEFT} y="13">
        {props.yTitle}
      </text>
      <text class="axis-title" x={right} y={height - 8} text-anchor="end">
        {props.xTitle}
      </text>
    </svg>
  )
}

/** A line through points, as the path of an SVG. */
export function pathOf({ atX, atY }: Area, points: readonly Point[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${atX(x)} ${atY(y)}`).join('')
}

/** A straight line between two points. */
export function lineOf(area: Area, x1: number, y1: number, x2: number, y2: number): string {
  return pathOf(area, [
    [x1, y1],
    [x2, y2],
  ])
}

function shareOf(value: number, [from, to]: Point): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from || 1)))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
