/** A small chart: a line or bars over a range, and a threshold, shaded ranges and marked points where there are any. */
import type { VNode } from 'preact'
import { Plot, pathOf, type PlotProps, type Point } from '../ui/plot.tsx'

export interface ChartProps extends Omit<PlotProps, 'children' | 'height'> {
  readonly points: readonly Point[]
  readonly kind: 'line' | 'bars'
  readonly threshold?: { readonly y: number; readonly text: string } | undefined
  readonly bands?: readonly Point[]
  readonly marks?: readonly { readonly at: Point; readonly kind: 'now' | 'tried'; readonly text?: string }[]
}

export function Chart({ points, kind, threshold, bands = [], marks = [], ...frame }: ChartProps): VNode {
  return (
    <Plot {...frame}>
      {(area) => {
        const { atX, atY, left, right, floor } = area
        const ceiling = atY(frame.y.range[1])
        const step = points.length > 1 ? Math.abs(atX(points[1]?.[0] ?? 0) - atX(points[0]?.[0] ?? 0)) : 24
        return (
          <>
            {bands.map(([from, to], index) => (
              <rect
                key={index}
                class="band"
                x={atX(from)}
                y={ceiling}
                width={atX(to) - atX(from)}
                height={floor - ceiling}
              />
            ))}
            {kind === 'line' ? (
              <path class="curve" d={pathOf(area, points)} />
            ) : (
              points.map(([x, y]) => (
                <rect
                  key={x}
                  class={threshold !== undefined && y >= threshold.y ? 'column high' : 'column'}
                  x={atX(x) - step * 0.36}
                  y={atY(y)}
                  width={step * 0.72}
                  height={Math.max(1, floor - atY(y))}
                  rx="1.5"
                />
              ))
            )}
            {threshold !== undefined && threshold.y <= frame.y.range[1] && (
              <g class="threshold">
                <line x1={left} x2={right} y1={atY(threshold.y)} y2={atY(threshold.y)} />
                <text x={left + 4} y={atY(threshold.y) - 5}>
                  {threshold.text}
                </text>
              </g>
            )}
            {marks.map(({ at: [x, y], kind: role, text }) => (
              <g key={role} class={`mark ${role}`}>
                <line x1={atX(x)} x2={atX(x)} y1={atY(y)} y2={floor} />
                <circle cx={atX(x)} cy={atY(y)} r="5" />
                {text !== undefined && (
                  <text
                    x={atX(x) > right - 60 ? atX(x) - 9 : atX(x) + 9}
                    y={atY(y) < ceiling + 16 ? atY(y) + 18 : atY(y) - 8}
                    text-anchor={atX(x) > right - 60 ? 'end' : 'start'}
                  >
                    {text}
                  </text>
                )}
              </g>
            ))}
          </>
        )
      }}
    </Plot>
  )
}
