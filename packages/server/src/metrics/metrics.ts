/** Metrics for Prometheus. Labels hold names that the service knows itself, never what a caller wrote. */
import {
  AggregatorRegistry,
  type Aggregator,
  Counter,
  Gauge,
  Histogram,
  type MetricConfiguration,
  Registry,
  collectDefaultMetrics,
} from 'prom-client'
import type { TallyCounts } from 'patient-risk-engine'
import type { Drift } from '@patient-risk/monitor'
import type { Snapshot } from './snapshot.ts'

interface FinishedRequest {
  /** `none` where no deployment answered. */
  readonly deployment: string
  /** The pattern of the route. */
  readonly route: string
  readonly method: string
  readonly status: number
  /** The code of a refusal, or an empty string. */
  readonly code: string
  readonly seconds: number
}

interface LoadGauge {
  readonly requests: number
  readonly bytes: number
  readonly delayMs: number
  readonly shed: Readonly<Record<string, number>>
}

interface ConnectionGauge {
  readonly count: number
  readonly total: number
  readonly evicted: number
  readonly refused: number
}

const REQUEST_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STORE_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
/** The label for every name that is not the service's own. */
const UNKNOWN = 'unknown'
/** Methods that routes take. A caller may send others. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'])
const DURATION = 'Time from the headers of a request to the end of its answer.'
const RECORDS = 'Patient records answered, by whether they got a risk.'
const JOBS = 'Jobs by how they ended: done, failed, deleted by their owner, expired with results or without.'
const DELAY = 'Mean delay of the event loop over the last second.'
const EVICTED = 'Slow connections ended to make room, since the start.'
const REFUSED = 'Connections refused for want of room, since the start.'
/** Subjects of problems that are not fields. */
const OTHER_SUBJECTS = ['record', 'idx', 'risk']

export type JobEnding = 'done' | 'failed' | 'deleted' | 'expired' | 'never-done'

export class Metrics {
  readonly registry = new Registry()
  private readonly describe = describer(this.registry)
  private readonly fields: ReadonlySet<string>
  private readonly requests = new Counter(
    this.describe('requests_total', 'Requests answered.', 'deployment', 'route', 'method', 'status', 'code'),
  )
  private readonly seconds = new Histogram({
    ...this.describe('request_duration_seconds', DURATION, 'deployment', 'route'),
    buckets: REQUEST_BUCKETS_S,
  })
  private readonly records = new Counter(this.describe('records_total', RECORDS, 'deployment', 'outcome'))
  private readonly problems = new Counter(
    this.describe('problems_total', 'Problems of records, by field and kind.', 'deployment', 'field', 'kind'),
  )
  private readonly store = new Histogram({
    ...this.describe('store_duration_seconds', 'Time of an operation of the store.', 'operation', 'outcome'),
    buckets: STORE_BUCKETS_S,
  })
  private readonly jobs = new Counter(this.describe('jobs_total', JOBS, 'deployment', 'end'))
  private drift: DriftSource | undefined
  private deployments: Deployments = []

  /** `fields` are the names of the catalogue: problems of any other name are counted as unknown. */
  constructor(fields: Iterable<string>) {
    this.fields = new Set([...fields, ...OTHER_SUBJECTS])
    collectDefaultMetrics({ register: this.registry })
  }

  count({ deployment, route, method, status, code, seconds }: FinishedRequest, tally?: TallyCounts): void {
    const known = METHODS.has(method) ? method : UNKNOWN
    this.requests.inc({ deployment, route, method: known, status, code })
    this.seconds.observe({ deployment, route }, seconds)
    this.countRecords(deployment, tally)
  }

  /** How a job has ended, and the records that it has answered. */
  countJob(deployment: string, end: JobEnding, tally?: TallyCounts): void {
    this.jobs.inc({ deployment, end })
    this.countRecords(deployment, tally)
  }

  private countRecords(deployment: string, tally: TallyCounts | undefined): void {
    if (tally === undefined || tally.records === 0) return
    this.records.inc({ deployment, outcome: 'scored' }, tally.scored)
    const refused = tally.records - tally.scored
    if (refused > 0) this.records.inc({ deployment, outcome: 'refused' }, refused)
    for (const [name, kinds] of tally.problems) {
      const field = this.fields.has(name) ? name : UNKNOWN
      for (const [kind, count] of kinds) this.problems.inc({ deployment, field, kind }, count)
    }
  }

  /** All metrics in the text format of Prometheus: of this process, or of all processes together. */
  async print(all?: Snapshot): Promise<string> {
    const registry = all === undefined ? this.registry : AggregatorRegistry.aggregate([all.metrics])
    return `${await registry.metrics()}\n${await printDrift(this.deployments, this.drift, all?.drift)}`
  }

  async snapshot(): Promise<Snapshot> {
    const metrics = await this.registry.getMetricsAsJSON()
    return {
      // The mean of nothing is NaN, which JSON cannot carry to another process and which must not enter a sum.
      metrics: metrics.map((each) => ({
        ...each,
        values: each.values.filter(({ value }) => Number.isFinite(value)),
      })),
      drift: this.drift?.counts() ?? {},
    }
  }

  timeStore(operation: string, outcome: 'done' | 'failed', seconds: number): void {
    this.store.observe({ operation, outcome }, seconds)
  }

  /** Adds gauges that are read when the metrics are read, and the deployments, which begin at zero. */
  watch(load: LoadGauge, connections: ConnectionGauge, drift: DriftSource, deployments: Deployments): void {
    this.drift = drift
    this.deployments = deployments
    for (const { name: deployment } of deployments)
      for (const outcome of ['scored', 'refused']) this.records.inc({ deployment, outcome }, 0)
    const gauges: readonly (readonly [string, string, () => number, Aggregator?])[] = [
      ['requests_in_flight', 'Requests being answered.', () => load.requests],
      ['body_bytes_in_flight', 'Bytes of bodies being held.', () => load.bytes],
      // Of several processes the largest value: a stuck process must show, however idle the others are.
      ['event_loop_delay_seconds', DELAY, () => load.delayMs / 1000, 'max'],
      ['connections', 'Open connections.', () => connections.count],
      // Each process has the whole limit.
      ['connections_limit', 'Connections that may be open.', () => connections.total],
      ['connections_evicted', EVICTED, () => connections.evicted],
      ['connections_refused', REFUSED, () => connections.refused],
    ]
    for (const [name, help, read, aggregator = 'sum'] of gauges) {
      const collect = (): void => gauge.set(read())
      const gauge = new Gauge({ ...this.describe(name, help), aggregator, collect })
    }
    const shed = new Gauge({
      ...this.describe('shed', 'Requests refused under load, by what was short, since the start.', 'reason'),
      collect() {
        for (const [reason, count] of Object.entries(load.shed)) shed.set({ reason }, count)
      },
    })
  }
}

/** Makes the settings of metrics in a registry. */
function describer(registry: Registry) {
  return <L extends string>(name: string, help: string, ...labels: L[]): MetricConfiguration<L> => {
    return { name: `patient_risk_${name}`, help, labelNames: labels, registers: [registry] }
  }
}

const DRIFT_HELP = {
  calibration_alarm: 'Whether outcomes have raised an alarm that nobody has acknowledged.',
  drift_records: 'Records counted for the drift figures since the start: one of several in large bodies.',
  drift_index: 'Population stability index of an input, or of the risk, against development.',
  drift_missing_ratio: 'Share of sampled records without a usable value.',
  drift_flagged_ratio: 'Share of sampled risks at or above the threshold of the model.',
  drift_alarm:
    '1 for an input, or the risk, that has moved away from development, until somebody acknowledges it.',
  unit_doubt:
    '1 for a field of a feed that is probably in another unit, until somebody confirms or acknowledges it.',
  feed_doubt:
    '1 for a field of a feed that probably means something else, until somebody confirms or acknowledges it.',
}

/** An alarm as the store keeps it. */
interface RaisedAlarm {
  readonly kind: string
  readonly deployment: string
  readonly keyId: string
  readonly field: string
  readonly basis: string
  readonly likely: string
  readonly reference: string
}

type Deployments = readonly { readonly name: string }[]

interface DriftSource {
  counts(): Snapshot['drift']
  drifts(counts?: Snapshot['drift']): readonly (readonly [string, Drift])[]
  alarms(): Promise<readonly RaisedAlarm[]>
}

/** Computed on request, from the counts of this process or of all processes added up. */
async function printDrift(
  deployments: Deployments,
  source: DriftSource | undefined,
  counts?: Snapshot['drift'],
): Promise<string> {
  const registry = new Registry()
  const gauge = <L extends string>(name: keyof typeof DRIFT_HELP, ...labels: L[]): Gauge<L> =>
    new Gauge(describer(registry)(name, DRIFT_HELP[name], ...labels))
  const records = gauge('drift_records', 'deployment')
  const index = gauge('drift_index', 'deployment', 'field')
  const missing = gauge('drift_missing_ratio', 'deployment', 'field')
  const flagged = gauge('drift_flagged_ratio', 'deployment', 'field')
  const moved = gauge('drift_alarm', 'deployment', 'field')
  const wrong = gauge('calibration_alarm', 'deployment')
  for (const { name: deployment } of deployments) wrong.set({ deployment }, 0)
  const unit = gauge('unit_doubt', 'deployment', 'key', 'field', 'received', 'likely')
  const alarms = (await source?.alarms()) ?? []
  const feed = gauge('feed_doubt', 'deployment', 'key', 'field', 'doubt')
  for (const { kind, deployment, keyId: key, field, basis: received, likely, reference } of alarms) {
    if (kind === 'unit') unit.set({ deployment, key, field, received, likely }, 1)
    else if (kind === 'feed') feed.set({ deployment, key, field, doubt: reference }, 1)
    else if (kind === 'drift') moved.set({ deployment, field }, 1)
    // Which group it is about is not for Prometheus.
    else wrong.set({ deployment }, 1)
  }
  for (const [deployment, each] of source?.drifts(counts) ?? []) {
    records.set({ deployment }, each.records)
    if (each.records === 0) continue
    for (const input of each.inputs) {
      missing.set({ deployment, field: input.name }, input.missing)
      if (!Number.isNaN(input.index)) index.set({ deployment, field: input.name }, input.index)
    }
    if (Number.isNaN(each.risk)) continue
    index.set({ deployment, field: 'risk' }, each.risk)
    if (!Number.isNaN(each.flagged)) flagged.set({ deployment, field: 'risk' }, each.flagged)
  }
  return registry.metrics()
}
