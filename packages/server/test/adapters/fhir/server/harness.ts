/**
 * What the tests of fetching share: one HAPI server with all patients, the guarded servers in front of it, and the service under test.
 * HAPI_PORT names a server that is running already, to save its start while a test is written.
 */
import { after } from 'node:test'
import { CASES } from './cases.ts'
import { type GuardedServer, forbiddenOrigin, guard } from './guarded-server.ts'
import { NO_HAPI, connected, prepareHapi, startHapi } from './hapi-server.ts'
import { CLIENT_ID, type Listed, type Service, newKey, startService } from './service.ts'
import { clientAt } from './token-endpoint.ts'

/** Small, so that ordinary patients need several pages. */
const PAGE_SIZE = 10

const running = process.env['HAPI_PORT']
const classPath = running === undefined ? prepareHapi() : ''
if (classPath === undefined) {
  process.stdout.write(`skipped: ${NO_HAPI}\n`)
  process.exit(0)
}
export const hapi =
  running === undefined
    ? await startHapi(classPath, PAGE_SIZE)
    : connected(Number(running), PAGE_SIZE, () => undefined)
for (const { resources } of CASES) await hapi.load(resources)

/** Redirects and bad links lead here, and nobody may follow them. */
export const forbidden = await forbiddenOrigin()
const open = (): Promise<GuardedServer> => guard({ port: hapi.port, elsewhere: forbidden.origin })

export const servers = {
  rsa: await open(),
  elliptic: await open(),
  /** Its token endpoint is configured, and it publishes no SMART configuration. */
  configured: await open(),
  /** It has no SMART configuration. */
  undiscovered: await open(),
  /** Its SMART configuration names a token endpoint of another origin. */
  misleading: await open(),
  /** Hooks may use it, backend services may not. */
  hooksOnly: await open(),
  /** It is not in the configuration. */
  stranger: await open(),
}

const LISTED: readonly Listed[] = [
  { url: servers.rsa.url, algorithm: 'RS384' },
  { url: servers.elliptic.url, algorithm: 'ES384' },
  { url: servers.configured.url, algorithm: 'ES384', tokenUrl: servers.configured.tokenUrl },
  { url: servers.undiscovered.url, algorithm: 'ES384' },
  { url: servers.misleading.url, algorithm: 'ES384' },
  { url: servers.hooksOnly.url },
]

export function resetAll(): void {
  for (const server of Object.values(servers)) server.reset()
  servers.configured.tokenFault = 'no-configuration'
  servers.undiscovered.tokenFault = 'no-configuration'
  servers.misleading.tokenFault = 'token-elsewhere'
  forbidden.calls.length = 0
}

/** The server of the tests of the harness itself, and the keys of its client. */
export const selfServer = await open()
export const selfKeys = {
  rsa: await newKey('RS384'),
  elliptic: await newKey('ES384'),
  other: await newKey('ES384'),
} as const

const started: { readonly service?: Service; readonly error?: unknown } = await startService(LISTED).then(
  (service) => ({ service }),
  (error: unknown) => ({ error }),
)
// The servers accept the keys of the service, which they fetch from it.
const client = clientAt(CLIENT_ID, `${String(started.service?.origin)}/.well-known/jwks.json`)
if (started.service !== undefined) for (const server of Object.values(servers)) server.client = client

/** Why the service under test did not start. Its tests are skipped then. */
export const { error: startError } = started

export function theService(): Service {
  if (started.service === undefined) throw started.error as Error
  return started.service
}

after(async () => {
  await started.service?.close()
  await Promise.all([forbidden, selfServer, ...Object.values(servers)].map((server) => server.close()))
  hapi.close()
})
