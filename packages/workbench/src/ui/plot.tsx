/** The frame of a drawing with two axes. The caller draws the marks, in the units of the data. */
import type { ComponentChildren, VNode } from 'preact'
import type { Words } from '../i18n/words.ts'
import { percentDecimals, ticks } from './ticks.ts'

export type Point = readonly [number, number]

/** Coordinates of a value. Values beyond an axis are drawn at its end. */
export interface Area {
  readonly atX: (value: number) => number
  readonly atY: (value: number) => number
  readonly left: number
  readonly right: number
  readonly floor: number
}

export interface Axis {
  readonly range: Point
  readonly ticks: readonly number[]
  readonly title: string
  readonly text: (value: number) => string
}

export interface PlotProps {
  /** A description of the drawing for screen readers. */
  readonly label: string
  readonly x: Axis
  readonly y: Axis
  readonly height?: number
  readonly children: (area: Area) => ComponentChildren
}

const WIDTH = 420
const HEIGHT = 220
const LEFT = 56
const RIGHT = 20
const TOP = 24
const BOTTOM = 44

/** An axis with about `wanted` round figures. */
export function axisOf(range: Point, wanted: number, title: string, text: Axis['text']): Axis {
  return { range, ticks: ticks(range, wanted), title, text }
}

/** The same for shares, as percentages with as many decimals as make them true. */
export function percentAxis(
  { percent }: Pick<Words, 'percent'>,
  range: Point,
  wanted: number,
  title: string,
): Axis {
  const marks = ticks(range, wanted)
  return { range, ticks: marks, title, text: (value) => percent(value, percentDecimals(marks)) }
}

export function Plot(props: PlotProps): VNode {
  const { x, y } = props
  const height = props.height ?? HEIGHT
  const floor = height - BOTTOM
  const right = WIDTH - RIGHT
  const atX = (value: number): number => round(LEFT + shareOf(value, x.range) * (right - LEFT))
  const atY = (value: number): number => round(floor - shareOf(value, y.range) * (floor - TOP))
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={props.label}>
      {y.ticks.map((tick) => (
        <g key={tick}>
          <line class="rule" x1={LEFT} x2={right} y1={atY(tick)} y2={atY(tick)} />
          <text class="tick" x={LEFT - 8} y={atY(tick) + 4} text-anchor="end">
            {y.text(tick)}
          </text>
        </g>
      ))}
      {x.ticks.map((tick) => (
        <text key={tick} class="tick" x={atX(tick)} y={floor + 16} text-anchor="middle">
          {x.text(tick)}
        </text>
      ))}
      <line class="axis" x1={LEFT} x2={right} y1={floor} y2={floor} />
      {props.children({ atX, atY, left: LEFT, right, floor })}
      <text class="axis-title" x={LEFT} y="13">
        {y.title}
      </text>
      <text class="axis-title" x={right} y={height - 8} text-anchor="end">
        {x.title}
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
