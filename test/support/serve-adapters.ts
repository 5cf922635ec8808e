/** The service with FHIR and CDS Hooks, for tests: without workers it is answered in this thread, so that a failure has its stack. */
import { adapterRoutes, serviceWorker, Fetcher } from '@patient-risk/server/adapters'
import { type Mapping, makeDeployments } from '@patient-risk/catalog'
import {
  type CdsHooksSettings,
  type DeploymentSettings,
  type FhirServer,
  DEFAULT_SERVER_SETTINGS,
  type ServerSettings,
} from '@patient-risk/catalog/config'
import { openDispatcher } from '@patient-risk/server'
import { type Answer, type Call, inject } from './exchange.ts'
import { type Served, serve, testCatalog } from './serve.ts'
import { mapping as usualMapping } from './mapping.ts'

const HOOKS = ['patient-view', 'encounter-discharge'] as const

export const DEPLOYMENTS: readonly DeploymentSettings[] = [
  {
    name: 'readmission',
    basePath: '/',
    model: 'readmission30',
    output: 'number',
    cdsHooks: { hooks: [...HOOKS] },
  },
  { name: 'flag', basePath: '/flag', model: 'readmission30', output: 'yes-no', threshold: 0.15 },
  {
    name: 'hospital',
    basePath: '/hospital',
    model: 'hospital',
    output: 'number',
    cdsHooks: { hooks: ['encounter-discharge'], showFrom: 0.1 },
  },
]

export const ORIGIN = 'https://risk.example.org'

export async function serveAdapters(
  cdsHooks: CdsHooksSettings = {},
  options: {
    readonly deployments?: readonly DeploymentSettings[]
    readonly isFhirServed?: boolean
    readonly workers?: number
    readonly times?: Partial<ServerSettings['times']>
    readonly load?: Partial<ServerSettings['load']>
    readonly servers?: readonly FhirServer[]
    readonly hookMs?: number
    readonly mapping?: Mapping
  } = {},
): Promise<Served & { send(call: Partial<Call> & { readonly json?: unknown }): Promise<Answer> }> {
  const { deployments = DEPLOYMENTS, isFhirServed = true, workers = 0, mapping = usualMapping } = options
  const adapters = adapterRoutes(
    mapping,
    isFhirServed,
    cdsHooks,
    new Fetcher(options.servers, options.hookMs),
  )
  const made = makeDeployments(testCatalog(), deployments).deployments
  const worker = serviceWorker(mapping)
  const dispatcher = openDispatcher(testCatalog(), made, { threads: workers, worker })
  const times = { ...DEFAULT_SERVER_SETTINGS.times, ...options.times }
  const load = { ...DEFAULT_SERVER_SETTINGS.load, ...options.load }
  const settings = { ...DEFAULT_SERVER_SETTINGS, times, load, origins: [ORIGIN] }
  const served = await serve({ deployments, service: { adapters, settings, dispatcher } })
  return {
    ...served,
    async close() {
      await served.close()
      await dispatcher.close()
    },
    send: ({ json, ...call }) =>
      inject(served.app, served.origin, {
        method: 'POST',
        path: '/fhir/$score',
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        ...call,
        headers: {
          authorization: `Bearer ${served.key}`,
          'content-type': 'application/fhir+json',
          ...call.headers,
        },
      }),
  }
}
