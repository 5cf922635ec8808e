/** Metrics for Prometheus. Labels hold names that the service knows itself, never what a caller wrote. */
import {
  AggregatorRegistry,
  type Aggregator,
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
} from 'prom-client'
import type { Drift } from '../engine/score/drift.ts'
import type { UnitHint } from '../engine/score/likely-unit.ts'
import { printDrift } from './drift-metrics.ts'
import type { Snapshot } from './snapshot.ts'

/** A request that is over. */
export interface FinishedRequest {
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

/** Counts of the records of a request. */
export interface Counts {
  readonly records: number
  readonly scored: number
  readonly problems: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Counts finished requests. */
export interface RequestMetrics {
  count(request: FinishedRequest, tally: Counts | undefined): void
}

/** What the metrics show of the load. */
export interface LoadGauge {
  readonly requests: number
  readonly bytes: number
  readonly delayMs: number
  readonly shed: Readonly<Record<string, number>>
}

/** What the metrics show of the connections. */
export interface ConnectionGauge {
  readonly count: number
  readonly total: number
  readonly evicted: number
  readonly refused: number
}

/** Where the drift figures come from. */
export interface DriftSource {
  counts(): Readonly<Record<string, readonly number[]>>
  drifts(counts?: Readonly<Record<string, readonly number[]>>): readonly (readonly [string, Drift])[]
  /** Fields whose sampled values are probably in another unit. */
  unitHints(): readonly (readonly [string, UnitHint])[]
}

/** Consecutive requests with the same labels, counted together: looking up labels costs more than counting. */
interface Run extends Omit<FinishedRequest, 'seconds'> {
  readonly seconds: number[]
  scored: number
  refused: number
}

const LONGEST_RUN = 256
const REQUEST_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STORE_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
/** The label for every name that is not the service's own. */
const UNKNOWN = 'unknown'
/** Methods that routes take. A caller may send others. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'])
/** Subjects of problems that are not fields. */
const OTHER_SUBJECTS = ['record', 'idx', 'risk']

export class Metrics implements RequestMetrics {
  readonly registry: Registry
  private readonly fields: ReadonlySet<string>
  private readonly requests: Counter<'deployment' | 'route' | 'method' | 'status' | 'code'>
  private readonly seconds: Histogram<'deployment' | 'route'>
  private readonly records: Counter<'deployment' | 'outcome'>
  private readonly problems: Counter<'deployment' | 'field' | 'kind'>
  private readonly store: Histogram<'operation' | 'outcome'>
  private run: Run | undefined
  private drift: DriftSource | undefined

  /** `fields` are the names of the catalogue: problems of any other name are counted as unknown. */
  constructor(fields: Iterable<string>) {
    this.fields = new Set([...fields, ...OTHER_SUBJECTS])
    this.registry = new Registry()
    const registers = [this.registry]
    this.requests = new Counter({
      name: 'patient_risk_requests_total',
      help: 'Requests answered.',
      labelNames: ['deployment', 'route', 'method', 'status', 'code'],
      registers,
    })
    this.seconds = new Histogram({
      name: 'patient_risk_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its answer.',
      labelNames: ['deployment', 'route'],
      buckets: REQUEST_BUCKETS_S,
      registers,
    })
    this.records = new Counter({
      name: 'patient_risk_records_total',
      help: 'Patient records answered, by whether they got a risk.',
      labelNames: ['deployment', 'outcome'],
      registers,
    })
    this.problems = new Counter({
      name: 'patient_risk_problems_total',
      help: 'Problems of records, by field and kind.',
      labelNames: ['deployment', 'field', 'kind'],
      registers,
    })
    this.store = new Histogram({
      name: 'patient_risk_store_duration_seconds',
      help: 'Time of an operation of the store.',
      labelNames: ['operation', 'outcome'],
      buckets: STORE_BUCKETS_S,
      registers,
    })
    collectDefaultMetrics({ register: this.registry })
  }

  /** Counts a request, and the records that it answered. */
  count(request: FinishedRequest, tally: Counts | undefined): void {
    let { run } = this
    if (run === undefined || run.seconds.length >= LONGEST_RUN || !isOfRun(run, request)) {
      this.endRun()
      const { deployment, route, method, status, code } = request
      run = { deployment, route, method, status, code, seconds: [], scored: 0, refused: 0 }
      this.run = run
    }
    run.seconds.push(request.seconds)
    if (tally === undefined) return
    run.scored += tally.scored
    run.refused += tally.records - tally.scored
    if (tally.problems.size > 0) this.countProblems(request.deployment, tally)
  }

  /** All metrics in the text format of Prometheus. */
  async print(): Promise<string> {
    this.endRun()
    const drift = await printDrift(this.drift?.drifts() ?? [], this.drift?.unitHints())
    return `${await this.registry.metrics()}\n${drift}`
  }

  /** The same for all processes together. */
  async printAll({ metrics, drift }: Snapshot): Promise<string> {
    const all = await AggregatorRegistry.aggregate([metrics]).metrics()
    return `${all}\n${await printDrift(this.drift?.drifts(drift) ?? [], this.drift?.unitHints())}`
  }

  /** All metrics as data. */
  async snapshot(): Promise<Snapshot> {
    this.endRun()
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

  private endRun(): void {
    const { run } = this
    if (run === undefined) return
    this.run = undefined
    const { deployment, route, method, status, code } = run
    const known = METHODS.has(method) ? method : UNKNOWN
    this.requests.inc({ deployment, route, method: known, status, code }, run.seconds.length)
    for (const seconds of run.seconds) this.seconds.observe({ deployment, route }, seconds)
    if (run.scored + run.refused === 0) return
    this.records.inc({ deployment, outcome: 'scored' }, run.scored)
    this.records.inc({ deployment, outcome: 'refused' }, run.refused)
  }

  private countProblems(deployment: string, tally: Counts): void {
    for (const [field, kinds] of tally.problems) {
      const known = this.fields.has(field) ? field : UNKNOWN
      for (const [kind, count] of kinds) this.problems.inc({ deployment, field: known, kind }, count)
    }
  }

  timeStore(operation: string, outcome: 'done' | 'failed', seconds: number): void {
    this.store.observe({ operation, outcome }, seconds)
  }

  /** Adds gauges that are read when the metrics are asked for. */
  watch(load: LoadGauge, connections: ConnectionGauge, drift: DriftSource): void {
    this.drift = drift
    this.gauge('patient_risk_requests_in_flight', 'Requests being answered.', () => load.requests)
    this.gauge('patient_risk_body_bytes_in_flight', 'Bytes of bodies being held.', () => load.bytes)
    this.gauge(
      'patient_risk_event_loop_delay_seconds',
      'Mean delay of the event loop over the last second.',
      () => load.delayMs / 1000,
      // The largest value: a stuck process must show, however idle the others are.
      'max',
    )
    this.gauge('patient_risk_connections', 'Open connections.', () => connections.count)
    // Each process has the whole limit.
    this.gauge('patient_risk_connections_limit', 'Connections that may be open.', () => connections.total)
    this.gauge(
      'patient_risk_connections_evicted',
      'Slow connections ended to make room, since the start.',
      () => connections.evicted,
    )
    this.gauge(
      'patient_risk_connections_refused',
      'Connections refused for want of room, since the start.',
      () => connections.refused,
    )
    const shed = new Gauge({
      name: 'patient_risk_shed',
      help: 'Requests refused under load, by what was short, since the start.',
      labelNames: ['reason'],
      registers: [this.registry],
      collect() {
        for (const [reason, count] of Object.entries(load.shed)) shed.set({ reason }, count)
      },
    })
  }

  /** `aggregator` says how the values of several processes are combined. */
  private gauge(name: string, help: string, read: () => number, aggregator: Aggregator = 'sum'): void {
    new Gauge({
      name,
      help,
      aggregator,
      registers: [this.registry],
      collect() {
        this.set(read())
      },
    })
  }
}

function isOfRun(run: Run, request: FinishedRequest): boolean {
  return (
    run.status === request.status &&
    run.route === request.route &&
    run.code === request.code &&
    run.method === request.method &&
    run.deployment === request.deployment
  )
}
