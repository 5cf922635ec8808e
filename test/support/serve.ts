/**
 * Starts the service in this process for a test: a listening port, a folder of its own, a key, a clock that stands still, and a
 * log kept in memory. Every answer is checked against the served OpenAPI document.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Catalog, type Deployment, makeDeployments } from '@patient-risk/catalog'
import { DEFAULT_FILE, DEFAULT_SERVER_SETTINGS, type DeploymentSettings } from '@patient-risk/catalog/config'
import { faultLine } from 'patient-risk-engine/definition'
import {
  type ScoringDispatcher,
  openDispatcher,
  createServer,
  type ServiceParts,
  Metrics,
} from '@patient-risk/server'
import { createLog } from '@patient-risk/server/log'
import { type KeySecrets, makeKey, type NewKey, openStore, type Store } from '@patient-risk/server/store'
import { type TestClock, testClock } from './clock.ts'
import { type Answer, type Call, exchange, inject, rawExchange } from './exchange.ts'
import { OpenApiCheck } from './openapi-check.ts'
import { startShared } from './shared-store-threads.ts'
import { CLINICAL_ROOT, testCatalog } from './test-catalog.ts'
import { UNHURRIED, unhurried } from './unhurried.ts'

export { CLINICAL_ROOT, testCatalog }
export const SCORE = '/risk/api/do/v0'

export interface ServeOptions {
  readonly deployments?: readonly DeploymentSettings[]
  /** Clinical folders, the first of them with the base fields. */
  readonly clinical?: readonly string[]
  /** Requests go over a socket, where that is part of what is tested. Else the handlers get them without one. */
  readonly isOverSocket?: boolean
  /** Whether the store has the limits of time of a real service, where they are part of what is tested. */
  readonly hasTimeLimits?: boolean
  /** Anything else that the server takes, in place of the fixture's own. */
  readonly service?: Partial<ServiceParts>
}

export interface Served {
  readonly origin: string
  /** A key that may use every deployment. */
  readonly key: string
  readonly clock: TestClock
  readonly store: Store
  readonly secrets: KeySecrets
  readonly catalog: Catalog
  readonly dataDir: string
  readonly app: FastifyInstance
  /** Everything that was logged so far, one JSON object a line. */
  logText(): string
  logLines(): readonly Readonly<Record<string, unknown>>[]
  makeKey(request?: Partial<NewKey>): Promise<string>
  /** One request, checked against the OpenAPI document. */
  call(call: Call): Promise<Answer>
  /** Posts a body with the key, as JSON. An object is written by JSON.stringify; text and bytes go as they are. */
  post(body: unknown, call?: Partial<Call>): Promise<Answer>
  get(path: string, headers?: Call['headers']): Promise<Answer>
  /** Bytes on a socket, as they are; the answer is checked against the OpenAPI document too. */
  raw(bytes: Uint8Array | string): Promise<Answer>
  close(): Promise<void>
}

// Services of one process share what never changes: compiled deployments, the check of a document.
const BUILT_PAGE = new URL('../../packages/workbench/built/page/', import.meta.url)
const compiled = new Map<string, readonly Deployment[]>()
const checks = new Map<string, OpenApiCheck>()
const usualChecks = new WeakMap<readonly Deployment[], OpenApiCheck>()

export function testDeployments({ clinical, deployments }: ServeOptions): readonly Deployment[] {
  const settings = deployments ?? DEFAULT_FILE.deployments
  const name = JSON.stringify([clinical, settings])
  const known = compiled.get(name)
  if (known !== undefined) return known
  const made = makeDeployments(testCatalog(clinical), settings)
  if (made.faults.length > 0) throw new Error(made.faults.map(faultLine).join('\n'))
  compiled.set(name, made.deployments)
  return made.deployments
}

/** The dispatcher of the default deployments, with one worker. The test closes it. */
export function testDispatcher(waitingPerThread?: number): ScoringDispatcher {
  return openDispatcher(testCatalog(), testDeployments({}), {
    threads: 1,
    worker: { entry: new URL('../../packages/server/src/adapters/worker.ts', import.meta.url), data: {} },
    ...(waitingPerThread === undefined ? {} : { waitingPerThread }),
  })
}

/** The check of a service by its document. Services of the usual parts have the same one where their deployments are the same. */
async function checkOf(
  app: FastifyInstance,
  origin: string,
  key: string,
  usual: readonly Deployment[] | undefined,
): Promise<OpenApiCheck> {
  const known = usual && usualChecks.get(usual)
  if (known !== undefined) return known
  const headers = { authorization: `Bearer ${key}` }
  const document = await inject(app, origin, { path: '/openapi.json', headers })
  const check = checks.get(document.text) ?? new OpenApiCheck(document.json())
  checks.set(document.text, check)
  if (usual !== undefined) usualChecks.set(usual, check)
  return check
}

export async function serve(options: ServeOptions = {}): Promise<Served> {
  const catalog = testCatalog(options.clinical)
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-test-'))
  const metrics = new Metrics(catalog.domains.keys())
  const { store, secrets } = await openStore(dataDir, undefined, undefined, {
    ...(options.hasTimeLimits === true ? {} : { ...UNHURRIED, startThread: startShared }),
    onCall: (...measured) => metrics.timeStore(...measured),
  })
  const clock = testClock()
  const log: string[] = []
  const service: ServiceParts = {
    catalog,
    deployments: testDeployments(options),
    store,
    secrets,
    clock,
    log: createLog('trace', { write: (line: string) => void log.push(line) }),
    metrics,
    page: { folder: BUILT_PAGE, notBuilt: 'npm run build:workbench builds the page.' },
    ...options.service,
    settings: unhurried(options.service?.settings ?? DEFAULT_SERVER_SETTINGS),
  }
  const app = await createServer(service)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const newKey = async (request: Partial<NewKey> = {}): Promise<string> =>
    (await makeKey(store, secrets, { name: 'test', scopes: ['*'], expiresAt: null, ...request }, clock.now()))
      .key
  const key = await newKey()
  const isUsual = options.service === undefined
  const check = await checkOf(app, origin, key, isUsual ? service.deployments : undefined)

  const call = async (each: Call): Promise<Answer> => {
    const answer = await (options.isOverSocket === true ? exchange(origin, each) : inject(app, origin, each))
    check.hold(each.method ?? 'GET', each.path, answer)
    return answer
  }
  return {
    origin,
    key,
    clock,
    store,
    secrets,
    catalog,
    dataDir,
    app,
    logText: () => log.join(''),
    logLines: () => log.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    makeKey: newKey,
    call,
    post: (body, each = {}) =>
      call({
        method: 'POST',
        path: SCORE,
        ...each,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...each.headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) => call({ path, headers: { authorization: `Bearer ${key}`, ...headers } }),
    async raw(bytes) {
      const answer = await rawExchange(origin, bytes)
      check.holdProblemOr200(answer)
      return answer
    },
    async close() {
      await app.close()
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
