/** Environment and configuration file become one frozen Config. Nothing else reads the environment. */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { checkConfigFile, type ConfigParts, wellShapedParts } from './config-file.ts'
import { type ConfigFile, DEFAULT_FILE, type DeploymentSettings } from './config-schema.ts'
import type { CdsHooksSettings } from './adapter-settings.ts'
import { type Fault, FaultList } from './definition/fault.ts'
import { type ServerSettings, serverSettings } from './server-settings.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** Further clinical folders, beside the one that comes with the package. */
  readonly clinicalFolders: readonly string[]
  /** The zone whose calendar decides what lies in the future; undefined for the machine's own. */
  readonly timeZone: string | undefined
  readonly logLevel: string
  /** Processes that share the port. */
  readonly processes: number
  /** Threads for large bodies in each process; 0 for none. */
  readonly workers: number
  /** A server secret for key digests; without one it is kept in the data folder. */
  readonly keySecret: string | undefined
  /** A PostgreSQL that several processes share; undefined for the store in the data folder. */
  readonly databaseUrl: string | undefined
  /** Failed keys a minute that an address may show; undefined for the default. */
  readonly failedKeysPerMinute: number | undefined
  readonly idleLockMinutes: number | undefined
  /** Days that rows of the audit are kept; null: for ever. */
  readonly auditRetentionDays: number | null
  /** Where an anchor of the audit chain is appended every day. */
  readonly auditAnchorFile: string | undefined
  readonly server: ServerSettings
  readonly fhir: { readonly isServed: boolean; readonly mapping: string | undefined }
  readonly cdsHooks: CdsHooksSettings
  readonly deployments: readonly DeploymentSettings[]
}

export type Environment = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** The configuration, or everything that is wrong with it. Flags of a command come before the environment. */
export function readConfig(
  flags: Environment = {},
  environment: Environment = process.env,
): {
  readonly config?: Config
  readonly faults: readonly Fault[]
  /** Of a file with faults: what names models and their folders, so that unknown models are reported in the same run. */
  readonly parts?: Pick<Config, 'clinicalFolders'> & Pick<ConfigParts, 'deployments'>
} {
  const env = { ...environment, ...flags }
  const faults = new FaultList('environment')
  const port = readPort(env['PORT'], faults)
  const processes = Math.max(1, readCount(env, 'PROCESSES', faults, 1))
  // Several processes share the cores already.
  const ownThreads = processes > 1 ? 1 : Math.max(1, availableParallelism() - 1)
  const workers = readCount(env, 'WORKERS', faults, ownThreads)
  const logLevel = env['LOG_LEVEL'] ?? 'info'
  if (!LOG_LEVELS.includes(logLevel))
    faults.add('LOG_LEVEL', 'environment', `must be one of ${LOG_LEVELS.join(', ')}`)
  const keySecret = readSecret(env, 'KEY_SECRET', faults)
  const databaseUrl = readSecret(env, 'DATABASE_URL', faults)
  const path = env['CONFIG']
  const {
    file,
    faults: fileFaults,
    parts,
  } = path === undefined ? { file: DEFAULT_FILE, faults: [], parts: DEFAULT_FILE } : readFile(path)
  const all = [...faults.faults, ...fileFaults]
  const base = path === undefined ? '.' : dirname(path)
  const clinicalFolders = (parts?.clinical ?? []).map((folder) => resolve(base, folder))
  if (file === undefined || all.length > 0)
    return { faults: all, parts: { clinicalFolders, deployments: parts?.deployments ?? [] } }
  const config: Config = {
    host: env['HOST'] ?? '127.0.0.1',
    port,
    dataDir: resolve(env['DATA_DIR'] ?? 'data'),
    clinicalFolders,
    timeZone: file.timeZone,
    logLevel,
    processes,
    workers,
    keySecret,
    databaseUrl,
    failedKeysPerMinute: file.access?.failedKeysPerMinute,
    idleLockMinutes: file.workbench?.idleLockMinutes,
    auditRetentionDays: file.audit?.retentionDays ?? null,
    auditAnchorFile: file.audit?.anchorFile === undefined ? undefined : resolve(base, file.audit.anchorFile),
    server: serverSettings(file.server),
    fhir: {
      isServed: file.fhir?.enabled ?? true,
      mapping: file.fhir?.mapping === undefined ? undefined : resolve(base, file.fhir.mapping),
    },
    cdsHooks: {
      ...file.cdsHooks,
      issuers: (file.cdsHooks?.issuers ?? []).map((issuer) =>
        issuer.jwks === undefined ? issuer : { ...issuer, jwks: resolve(base, issuer.jwks) },
      ),
    },
    deployments: file.deployments,
  }
  return { config: Object.freeze(config), faults: [] }
}

function readPort(text: string | undefined, faults: FaultList): number {
  if (text === undefined) return 8080
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  faults.add('PORT', 'environment', 'must be a port number from 0 to 65535')
  return 0
}

/** A secret from the environment, or from the file that the same name with _FILE names, as container platforms mount them. */
function readSecret(env: Environment, name: string, faults: FaultList): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined) return env[name]
  if (env[name] !== undefined)
    faults.add(name, 'environment', `is set, and ${name}_FILE too; set only one of them`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    faults.add(`${name}_FILE`, 'environment', 'names a file that cannot be read')
    return undefined
  }
}

const MOST_WORKERS = 256

function readCount(env: Environment, name: string, faults: FaultList, otherwise: number): number {
  const text = env[name]
  if (text === undefined) return otherwise
  if (/^\d{1,3}$/.test(text) && Number(text) <= MOST_WORKERS) return Number(text)
  faults.add(name, 'environment', `must be a number from 0 to ${MOST_WORKERS}`)
  return otherwise
}

function readFile(path: string): { file?: ConfigFile; faults: readonly Fault[]; parts?: ConfigParts } {
  const faults = new FaultList(path)
  if (!existsSync(path)) {
    faults.add('', 'file-missing', 'CONFIG names a file that is not there')
    return { faults: faults.faults }
  }
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    faults.add('', 'json', `is not well-formed JSON: ${(error as Error).message}`)
    return { faults: faults.faults }
  }
  const file = checkConfigFile(value, faults)
  return { ...(file === undefined ? {} : { file }), faults: faults.faults, parts: wellShapedParts(value) }
}
