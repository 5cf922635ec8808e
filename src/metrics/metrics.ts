/** Figures for Prometheus. A label holds a name that the service knows itself, never what a caller wrote. */
import {
  AggregatorRegistry,
  type Aggregator,
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
} from 'prom-client'
import type { Connections } from '../http/connection/connections.ts'
import { printDrift } from './drift-metrics.ts'
import type { DriftWatch } from '../http/scoring/drift-watch.ts'
import type { Load } from '../http/connection/load.ts'
import type { Snapshot } from './snapshot.ts'

export interface Exchange {
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

/** Counts of a batch, as its tally has them. */
export interface Counts {
  readonly records: number
  readonly scored: number
  readonly problems: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Exchanges of one kind that came one after the other, counted together. */
interface Run extends Omit<Exchange, 'seconds'> {
  readonly seconds: number[]
  scored: number
  refused: number
}

/** Enough that a look-up of labels costs next to nothing, few enough to be forgotten soon. */
const LONGEST_RUN = 256
const REQUEST_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STORE_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
/** Stands for every name that is not the service's own. */
const UNKNOWN = 'unknown'
/** Methods that routes take; a caller may send any of a few dozen others. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'])
/** Subjects of problems that are no fields. */
const OTHER_SUBJECTS = ['record', 'idx', 'risk']

export class Figures {
  readonly registry: Registry
  private readonly fields: ReadonlySet<string>
  private readonly requests: Counter<'deployment' | 'route' | 'method' | 'status' | 'code'>
  private readonly seconds: Histogram<'deployment' | 'route'>
  private readonly records: Counter<'deployment' | 'outcome'>
  private readonly problems: Counter<'deployment' | 'field' | 'kind'>
  private readonly store: Histogram<'operation' | 'outcome'>
  private run: Run | undefined
  private drift: DriftWatch | undefined

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

  /** Counts an exchange, and the records that it answered. */
  count(exchange: Exchange, tally: Counts | undefined): void {
    let { run } = this
    if (run === undefined || run.seconds.length >= LONGEST_RUN || !isOfRun(run, exchange)) {
      this.endRun()
      const { deployment, route, method, status, code } = exchange
      run = { deployment, route, method, status, code, seconds: [], scored: 0, refused: 0 }
      this.run = run
    }
    run.seconds.push(exchange.seconds)
    if (tally === undefined) return
    run.scored += tally.scored
    run.refused += tally.records - tally.scored
    if (tally.problems.size > 0) this.countProblems(exchange.deployment, tally)
  }

  /** Everything that was counted, as Prometheus reads it. */
  async print(): Promise<string> {
    this.endRun()
    return `${await this.registry.metrics()}\n${await printDrift(this.drift?.drifts() ?? [])}`
  }

  /** The same of all processes together. */
  async printAll({ metrics, drift }: Snapshot): Promise<string> {
    const all = await AggregatorRegistry.aggregate([metrics]).metrics()
    return `${all}\n${await printDrift(this.drift?.drifts(drift) ?? [])}`
  }

  /** Everything that was counted, as data. */
  async snapshot(): Promise<Snapshot> {
    this.endRun()
    const metrics = await this.registry.getMetricsAsJSON()
    return {
      // A mean of nothing is no number: it would not survive the way to another process, and must not enter a sum.
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

  /** Shows what is under way: read when the figures are asked for. */
  watch(load: Load, connections: Connections): void {
    this.gauge('patient_risk_requests_in_flight', 'Requests being answered.', () => load.requests)
    this.gauge('patient_risk_body_bytes_in_flight', 'Bytes of bodies being held.', () => load.bytes)
    this.gauge(
      'patient_risk_event_loop_delay_seconds',
      'Mean delay of the event loop over the last second.',
      () => load.delayMs / 1000,
      // A process that is stuck must show, however idle the others are.
      'max',
    )
    this.gauge('patient_risk_connections', 'Open connections.', () => connections.count)
    // Each process has the whole limit for itself.
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

  /** Shows how far the inputs and the risk of each deployment have moved from its model's development data. */
  watchDrift(drift: DriftWatch): void {
    this.drift = drift
  }

  /** `aggregator` says what becomes of the values of several processes. */
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

function isOfRun(run: Run, exchange: Exchange): boolean {
  return (
    run.status === exchange.status &&
    run.route === exchange.route &&
    run.code === exchange.code &&
    run.method === exchange.method &&
    run.deployment === exchange.deployment
  )
}
