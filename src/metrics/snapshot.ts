/** The figures of a process as plain data, so that those of several processes can be added up and shown as one. */
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

export interface Snapshot {
  readonly metrics: readonly MetricObjectWithValues<MetricValue<string>>[]
  /** Counts of the drift watch by deployment: shares and indices cannot be added up, the counts behind them can. */
  readonly drift: Readonly<Record<string, readonly number[]>>
}

/** The processes behind one port, as one of them sees them. */
export interface Peers {
  /** Says how the figures of this process are read whenever any of them is asked for all. */
  offer(read: () => Promise<Snapshot>): void
  /** The figures of all processes together, this one's among them. */
  collect(): Promise<Snapshot>
}

export const NO_FIGURES: Snapshot = { metrics: [], drift: {} }

/** Each metric says itself what becomes of its values: most are added up. */
export async function together(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  const registry = AggregatorRegistry.aggregate(snapshots.map(({ metrics }) => metrics))
  return { metrics: await registry.getMetricsAsJSON(), drift: sumOfDrift(snapshots) }
}

/**
 * What remains true of a process that has ended or does not answer: what it has counted. Without it the sum would fall,
 * and Prometheus would take that for a restart of them all and count the rest a second time.
 */
export function countsOf({ metrics, drift }: Snapshot): Snapshot {
  return { metrics: metrics.filter(({ type }) => COUNTED.has(type)), drift }
}

const COUNTED: ReadonlySet<unknown> = new Set(['counter', 'histogram'])

function sumOfDrift(snapshots: readonly Snapshot[]): Snapshot['drift'] {
  const sums: Record<string, readonly number[]> = {}
  for (const { drift } of snapshots) {
    for (const [deployment, counts] of Object.entries(drift)) {
      const before = sums[deployment]
      sums[deployment] = counts.map((count, place) => count + (before?.[place] ?? 0))
    }
  }
  return sums
}
