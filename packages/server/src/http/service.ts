/** The parts that answer requests, assembled once: hooks, routes and adapters take what they need from here. */
import type { FastifyInstance } from 'fastify'
import { type Catalog, type Deployment, packDeployments, unpackScorers } from '@patient-risk/catalog'
import { type Clock, makeSeal, BufferPool } from '@patient-risk/runtime'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Peers } from '../metrics/snapshot.ts'
import { DEFAULT_SERVER_SETTINGS, type ServerSettings } from '@patient-risk/catalog/config'
import { KeyCache } from '../store/keys/key-cache.ts'
import type { KeySecrets } from '../store/keys/key-secrets.ts'
import { Limiter } from '../store/quota.ts'
import type { Store } from '../store/store.ts'
import { RequestRecorder } from './request/request-recorder.ts'
import { Connections } from './connection/connections.ts'
import { Lifecycle } from './connection/lifecycle.ts'
import { Load } from './connection/load.ts'
import { Pace } from './connection/pace.ts'
import { TrustedProxies } from './connection/trusted-proxies.ts'
import { Turns } from './connection/turns.ts'
import { DEFAULT_FAILED_KEYS_PER_MINUTE, FailedAttempts } from './request/authenticate.ts'
import { Quota } from './request/quota.ts'
import type { RouteConfig } from './request/request-context.ts'
import {
  FigureCache,
  OutcomeWatch,
  AlarmBoard,
  DriftWatch,
  makeShadows,
  watchFeeds,
} from '@patient-risk/monitor'
import type { JobsOptions } from './jobs/jobs-options.ts'
import { SerialNumbers } from './receipts/serial-numbers.ts'
import { OutcomeSchedule } from './scoring/outcome-schedule.ts'
import { PROCESS_HOST } from './scoring/process-host.ts'
import { ScoringDispatcher } from './scoring/scoring-dispatcher.ts'

export interface ServiceParts {
  readonly catalog: Catalog
  readonly deployments: readonly Deployment[]
  readonly store: Store
  readonly secrets: KeySecrets
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** How many failed keys of an address, and of a key id, are answered in a minute before failures are slowed. */
  readonly failedKeysPerMinute?: number
  /** After how many minutes without activity the page signs out; 15 where absent. */
  readonly idleLockMinutes?: number
  /** The page for people; none where absent. */
  readonly page?: BuiltPage
  /** Limits and time-outs of the server; the defaults where absent. */
  readonly settings?: ServerSettings
  /** Where bodies are answered; in this thread where absent. */
  readonly dispatcher?: ScoringDispatcher
  readonly adapters?: Adapters
  /** Bodies that are answered later; there are none where absent. */
  readonly jobs?: JobsOptions | undefined
  /** The other processes on the same port; absent where this is the only one. */
  readonly peers?: Peers | undefined
}

/** The build of the page. */
export interface BuiltPage {
  /** Where `index.html` and what it loads are. */
  readonly folder: URL
  /** What to say where the folder is empty: why, and what to do. */
  readonly notBuilt: string
}

/** Adds the routes of further interfaces, such as FHIR. */
export type Adapters = (app: FastifyInstance, service: Service) => void

export type Service = ReturnType<typeof assemble>

export const assembleService = (parts: ServiceParts): Service => assemble(parts)

function assemble(parts: ServiceParts) {
  const { store, secrets, clock, log, metrics, settings = DEFAULT_SERVER_SETTINGS } = parts
  const seal = makeSeal(secrets.inUse)
  const keyCache = new KeyCache(store, secrets)
  const attempts = new FailedAttempts(parts.failedKeysPerMinute ?? DEFAULT_FAILED_KEYS_PER_MINUTE, store)
  const proxies = new TrustedProxies(settings.trustedProxies)
  const connections = new Connections(settings, proxies)
  const lifecycle = new Lifecycle(settings.times)
  const load = new Load(settings.load)
  const host = PROCESS_HOST
  const packed = packDeployments(parts.catalog, parts.deployments)
  const alarms = new AlarmBoard({ store, clock, log, host })
  const outcomes = new OutcomeWatch({ store, clock, board: alarms })
  const drift = new DriftWatch(parts.catalog, parts.deployments, alarms)
  return {
    ...parts,
    settings,
    dispatcher: parts.dispatcher ?? new ScoringDispatcher(unpackScorers(packed)),
    keyCache,
    attempts,
    proxies,
    quota: new Quota(new Limiter(store), { keyCache, clock }),
    seal,
    alarms,
    drift,
    shadows: makeShadows(parts.deployments, host),
    feeds: watchFeeds(parts.catalog, parts.deployments, alarms, drift),
    outcomes,
    figures: new FigureCache(),
    outcomeSchedule: new OutcomeSchedule({ watch: outcomes, clock, log, deployments: parts.deployments }),
    connections,
    lifecycle,
    load,
    turns: new Turns(),
    serials: new SerialNumbers(store),
    recorder: new RequestRecorder({ store, clock, log, metrics, seal, connections, lifecycle, load }),
    pace: new Pace(settings),
    buffers: new BufferPool(),
    /** How an adapter writes refusals, by the path that all its addresses begin with. */
    refusals: new Map<string, RouteConfig['refusal']>(),
  }
}
