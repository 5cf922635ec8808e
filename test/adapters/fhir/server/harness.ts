/**
 * What the tests of fetching share: one HAPI server with all patients, the guarded servers in front of it, and the service under test.
 * HAPI_PORT names a server that is running already, to save its start while a test is written.
 */
import { after } from 'node:test'
import { CASES } from './cases.ts'
import { type GuardedServer, forbiddenOrigin, guard } from './guarded-server.ts'
import { NO_HAPI, connected, prepareHapi, startHapi } from './hapi-server.ts'
import { CLIENT_ID, type Listed, type Service, startService } from './service.ts'
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

let started: Promise<Service> | undefined

/** The service under test. The servers accept its keys, which they fetch from it. */
export function theService(): Promise<Service> {
  started ??= startService(LISTED).then((service) => {
    const client = clientAt(CLIENT_ID, `${service.origin}/.well-known/jwks.json`)
    for (const server of Object.values(servers)) server.client = client
    return service
  })
  return started
}

after(async () => {
  await started?.then(
    (service) => service.close(),
    () => undefined,
  )
  await Promise.all([forbidden, ...Object.values(servers)].map((server) => server.close()))
  hapi.close()
})
