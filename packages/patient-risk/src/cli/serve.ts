/** `patient-risk serve`: loads, checks, listens; says how to make the first request; stops when asked. */
import cluster from 'node:cluster'
import { flushCompileCache } from 'node:module'
import { adapterRoutes, serviceWorker, Fetcher, loadMapping } from '@patient-risk/server/adapters'
import type { Config, Environment } from '@patient-risk/catalog/config'
import { SCORING_PATH, makeDeployments } from '@patient-risk/catalog'
import { systemClock } from '@patient-risk/runtime'
import {
  openDispatcher,
  Metrics,
  createServer,
  type ServiceParts,
  connectToPrimary,
  stopSignal,
  runProcesses,
} from '@patient-risk/server'
import { type Log, createLog, reportUncaughtErrors } from '@patient-risk/server/log'
import {
  type AuditEntry,
  KeyManager,
  LAYOUT,
  type MadeKey,
  type OnCall,
  type OpenStore,
  startUpkeep,
} from '@patient-risk/server/store'
import { tableRunner } from '../jobs/table-runner.ts'
import { BUILT_PAGE } from './built-page.ts'
import { mappingFolders, type Loaded, loadOrRefusal } from './catalog/load-catalog.ts'
import { Refusal, command, faultsText } from './command.ts'
import { keepRequestsYoung } from './keep-requests-young.ts'
import { commandRow, withStore } from './with-store.ts'

/** Time after the stop for writing the last rows, ending the threads and closing the store. */
const CLOSE_MS = 3_000

export const serve = command(
  { texts: ['host', 'port', 'processes'], handlesOutputErrors: true },
  async (values) => {
    keepRequestsYoung()
    const flags = Object.entries(values).map(([name, value]) => [name.toUpperCase(), value])
    const loaded = loadOrRefusal(Object.fromEntries(flags) as Environment)
    const { config } = loaded
    const prepared = prepare(loaded)
    const log = createLog(config.logLevel)
    reportUncaughtErrors(log)
    if (config.processes > 1 && cluster.isPrimary) return listenInProcesses(config, prepared, log)
    const primary = cluster.worker && connectToPrimary(cluster.worker)
    const { metrics } = prepared
    const onCall: OnCall = (...measured) => metrics.timeStore(...measured)
    const options = { onCall, ...(primary === undefined ? { isServing: true } : { quota: primary.quota }) }
    const work = (open: OpenStore): Promise<number> => listen(config, prepared, log, open, primary?.peers)
    return withStore(work, config, options).finally(() => {
      // The channel to the primary would keep this process alive.
      cluster.worker?.disconnect()
    })
  },
)

type Prepared = Pick<ServiceParts, 'catalog' | 'deployments' | 'adapters' | 'metrics'> & {
  readonly worker: ReturnType<typeof serviceWorker>
}

/** Everything that is checked before the port is opened. */
function prepare({ config, catalog }: Loaded): Prepared {
  const { deployments, faults: deploymentFaults } = makeDeployments(
    catalog,
    config.deployments,
    config.timeZone,
  )
  const { mapping, faults: mappingFaults } = loadMapping(mappingFolders(config), catalog, config.fhir.mapping)
  if (mapping === undefined || deploymentFaults.length > 0)
    throw new Refusal(faultsText([...deploymentFaults, ...mappingFaults]))
  const { fhir, cdsHooks } = config
  const fetcher = fetcherFor(fhir.servers)
  const adapters = adapterRoutes(mapping, fhir.enabled ?? true, cdsHooks, fetcher, config.timeZone)
  const metrics = new Metrics(catalog.domains.keys())
  return { catalog, deployments, adapters, metrics, worker: serviceWorker(mapping, config.timeZone) }
}

function fetcherFor(servers: Config['fhir']['servers']): Fetcher {
  try {
    return new Fetcher(servers)
  } catch (error) {
    throw new Refusal(`fhir.servers: ${(error as Error).message}`)
  }
}

/** This process makes the first key and keeps the others running; it answers nothing itself. */
async function listenInProcesses(config: Config, { deployments }: Prepared, log: Log): Promise<number> {
  const path = deployments[0]?.basePath
  const printKey = await withStore((open) => firstKey(open, path), config, { isServing: true })
  const { noticeMs, stopMs } = config.server.times
  return runProcesses({
    count: config.processes,
    log,
    stop: stopSignal(),
    // The notice is given twice: before and after the process stops accepting requests.
    killAfterMs: Math.max(stopMs, 2 * noticeMs) + CLOSE_MS,
    onListening: (port) => printKey(`http://${config.host}:${port}`),
  })
}

async function listen(
  config: Config,
  prepared: Prepared,
  log: Log,
  open: OpenStore,
  peers: ServiceParts['peers'],
): Promise<number> {
  const { catalog, deployments, worker } = prepared
  for (const { name, model, warnings } of deployments) {
    for (const trouble of model.selfCheckFailures)
      log.error({ event: 'model-not-ready', deployment: name, trouble })
    for (const trouble of warnings) log.warn({ event: 'doubtful-codes', deployment: name, trouble })
  }
  const clock = systemClock(config.timeZone)
  const dispatcher = openDispatcher(catalog, deployments, {
    threads: config.workers,
    worker,
    isOneOfSeveral: config.processes > 1,
    onDeath: () => log.error({ event: 'thread-died' }),
  })
  const app = await createServer({
    ...prepared,
    ...open,
    dispatcher,
    clock,
    log,
    ...config.access,
    ...config.workbench,
    page: BUILT_PAGE,
    settings: config.server,
    jobs: config.jobs && { settings: config.jobs, runner: tableRunner },
    peers,
  })
  // Registered before the port is open, so that an early stop is graceful too.
  const stopAsked = stopSignal()
  const { host, port } = config
  const origin = await app.listen({ host, port }).catch(async (error: unknown) => {
    await dispatcher.close()
    const { code = '' } = error as NodeJS.ErrnoException
    throw new Refusal(`Cannot listen on ${host}:${port} (${code}). Choose another with PORT or HOST.`)
  })
  log.info({ event: 'listening', origin, layout: LAYOUT })
  // If NODE_COMPILE_CACHE names a folder, the compiled code is kept there now, for the start after a crash too.
  flushCompileCache()
  const endUpkeep = startUpkeep(open, config.audit, log)
  await app.outcomeSchedule.start()
  try {
    if (cluster.isPrimary) (await firstKey(open, deployments[0]?.basePath))(origin)
    await stopAsked
  } finally {
    endUpkeep()
    log.info({ event: 'stopping' })
    const isFinished = await app.lifecycle.stop(app)
    await dispatcher.close()
    log.info({ event: 'stopped', reason: isFinished ? 'all answered' : 'out of time' })
  }
  return 0
}

/** Makes the first key of an empty store; like every other key it leaves a row in the audit. Returns what prints it. */
async function firstKey({ store, secrets }: OpenStore, path = ''): Promise<(origin: string) => void> {
  if ((await store.listKeys()).length > 0) return () => undefined
  const keys = new KeyManager({ store, secrets, deployments: [], now: Date.now })
  const rowFor = ({ id }: MadeKey): AuditEntry => commandRow('keys create', id)
  const { key } = await keys.create({ name: 'first', admin: true }, 'all', rowFor)
  return (origin) => {
    const record = '{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}'
    process.stdout.write(`
This is the first start, so here is an API key. It is shown once and never again:

  ${key}

Try it:

  curl ${origin}${path}${SCORING_PATH} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '[${record}]'

`)
  }
}
