/** A small chart: a line or bars over a range, and a threshold where there is one. */
import type { VNode } from 'preact'
import { Plot, pathOf, type PlotProps, type Point } from '../ui/plot.tsx'

export interface ChartProps extends Omit<PlotProps, 'children' | 'height'> {
  readonly points: readonly Point[]
  readonly kind: 'line' | 'bars'
  readonly threshold?: { readonly y: number; readonly text: string } | undefined
}

export function Chart({ points, kind, threshold, ...frame }: ChartProps): VNode {
  return (
    <Plot {...frame}>
      {(area) => {
        const { atX, atY, left, right, floor } = area
        const step = points.length > 1 ? Math.abs(atX(points[1]?.[0] ?? 0) - atX(points[0]?.[0] ?? 0)) : 24
        return (
          <>
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
            {threshold !== undefined && threshold.y <= frame.y[1] && (
              <g class="threshold">
                <line x1={left} x2={right} y1={atY(threshold.y)} y2={atY(threshold.y)} />
                <text x={left + 4} y={atY(threshold.y) - 5}>
                  {threshold.text}
                </text>
              </g>
            )}
          </>
        )
      }}
    </Plot>
  )
}
