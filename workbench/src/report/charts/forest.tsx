/** An estimate with its interval on the axis that all rows of a table share. The figures are next to it. */
import type { VNode } from 'preact'
import type { Estimate } from '../../shapes/report.ts'

export type Axis = readonly [number, number]

const WIDTH = 120

export function Forest(props: {
  readonly estimate: Estimate
  readonly axis: Axis
  /** The value of no effect, which a line marks: chance, or no difference. */
  readonly mark: number
}): VNode {
  const { estimate, mark } = props
  const [low, high] = props.axis
  const at = (value: number | null): number =>
    Math.round((((value ?? low) - low) / (high - low)) * (WIDTH - 8) * 10) / 10 + 4
  return (
    <svg class="chart forest" viewBox={`0 0 ${WIDTH} 16`} aria-hidden="true">
      <path class="ideal" d={`M${at(mark)} 0V16`} />
      <path class="whisker" d={`M${at(estimate.from)} 8H${at(estimate.to)}`} />
      <rect class="estimate" x={at(estimate.value) - 3} y="5" width="6" height="6" />
    </svg>
  )
}
