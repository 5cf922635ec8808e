/** Rows in ten groups of rising risk: what was predicted and what happened in each. */
import { NORMAL_95 } from '../numbers/chi-square.ts'
import { orderOf } from '../numbers/radix-order.ts'
import type { Predictions } from './predictions.ts'

export interface RiskGroup {
  readonly rows: number
  readonly events: number
  readonly predicted: number
  readonly observed: number
  /** Wilson's 95 % interval of the observed share. */
  readonly from: number
  readonly to: number
  readonly lowest: number
  readonly highest: number
}

const GROUPS = 10

/** Rows of the same risk stay together, so a score of few values gives fewer groups. */
export function riskGroups(
  { risks, outcomes }: Predictions,
  order: Uint32Array = orderOf(risks),
): readonly RiskGroup[] {
  const groups: RiskGroup[] = []
  let from = 0
  while (from < order.length) {
    const wanted = Math.max(from + 1, Math.round(((groups.length + 1) * order.length) / GROUPS))
    let to = Math.min(order.length, wanted)
    const last = risks[order[to - 1] as number]
    while (to < order.length && risks[order[to] as number] === last) to++
    groups.push(groupOf(order.subarray(from, to), risks, outcomes))
    from = to
  }
  return groups
}

function groupOf(places: Uint32Array, risks: Float64Array, outcomes: Uint8Array): RiskGroup {
  let predicted = 0
  let events = 0
  for (const place of places) {
    predicted += risks[place] as number
    events += outcomes[place] as number
  }
  const rows = places.length
  return {
    rows,
    events,
    predicted: predicted / rows,
    observed: events / rows,
    ...wilson(events, rows),
    lowest: risks[places[0] as number] as number,
    highest: risks[places[rows - 1] as number] as number,
  }
}

export function wilson(events: number, rows: number): { readonly from: number; readonly to: number } {
  const square = NORMAL_95 * NORMAL_95
  const share = events / rows
  const centre = (share + square / (2 * rows)) / (1 + square / rows)
  const margin =
    (NORMAL_95 * Math.sqrt((share * (1 - share)) / rows + square / (4 * rows * rows))) / (1 + square / rows)
  return { from: Math.max(0, centre - margin), to: Math.min(1, centre + margin) }
}
