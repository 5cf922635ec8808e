/** The metrics of a process as plain data, so that several processes can be added up and shown as one. */
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

export interface Snapshot {
  readonly metrics: readonly MetricObjectWithValues<MetricValue<string>>[]
  /** Counts of the drift watch by deployment. Shares and indices cannot be added up; their counts can. */
  readonly drift: Counts
  /** Counts of the shadow models by deployment. */
  readonly shadow?: Counts
}

type Counts = Readonly<Record<string, readonly number[]>>

/** The processes that share one port, as one of them sees them. */
export interface Peers {
  /** Registers how other processes read the metrics of this one. */
  offer(read: () => Promise<Snapshot>): void
  /** The metrics of all processes together, including this one. */
  collect(): Promise<Snapshot>
}

export const EMPTY_SNAPSHOT: Snapshot = { metrics: [], drift: {} }

/** Each metric declares how its values are combined; most are added up. */
export async function merge(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  const registry = AggregatorRegistry.aggregate(snapshots.map(({ metrics }) => metrics))
  return { metrics: await registry.getMetricsAsJSON(), ...sumsOf(snapshots) }
}

/**
 * The counters of a process that has ended or does not answer. Without them the sum would fall, and Prometheus would take
 * that for a restart of all processes and count the rest again.
 */
export function countsOf({ metrics, ...counts }: Snapshot): Snapshot {
  return { metrics: metrics.filter(({ type }) => COUNTED.has(type)), ...counts }
}

const COUNTED: ReadonlySet<unknown> = new Set(['counter', 'histogram'])

function sumsOf(snapshots: readonly Snapshot[]): Required<Omit<Snapshot, 'metrics'>> {
  const add = (all: readonly (Counts | undefined)[]): Counts => {
    const sums: Record<string, readonly number[]> = {}
    for (const [deployment, counts] of all.flatMap((each) => Object.entries(each ?? {}))) {
      const before = sums[deployment]
      sums[deployment] = counts.map((count, place) => count + (before?.[place] ?? 0))
    }
    return sums
  }
  return {
    drift: add(snapshots.map((each) => each.drift)),
    shadow: add(snapshots.map((each) => each.shadow)),
  }
}
