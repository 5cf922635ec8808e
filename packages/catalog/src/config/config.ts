/** Flags, environment and configuration file become one frozen Config. Nothing else reads the environment. */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { jsonOfFile } from '../files/read-json.ts'
import { checkConfigFile, type ConfigParts, wellShapedParts } from './config-file.ts'
import type { CdsHooksSettings, ConfigFile, JobSettings, ServerSettings } from './config-schema.ts'
import { DEFAULT_FILE, jobSettings, serverSettings } from './config-defaults.ts'
import { type Fault, FaultList } from 'patient-risk-engine/definition'

/** The settings of the file, with absolute paths, and those of the environment. */
export interface Config extends Omit<ConfigFile, '$schema' | 'clinical' | 'server' | 'jobs'> {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** Clinical folders in addition to the package's own. */
  readonly clinicalFolders: readonly string[]
  readonly logLevel: string
  /** Processes that share the port. */
  readonly processes: number
  /** Threads for large bodies in each process; 0 for none. */
  readonly workers: number
  /** A server secret for key digests; without one it is kept in the data folder. */
  readonly keySecret: string | undefined
  /** The secret before that one, while it is being rotated. */
  readonly previousKeySecret: string | undefined
  /** A PostgreSQL that several processes share; undefined for the store in the data folder. */
  readonly databaseUrl: string | undefined
  readonly server: ServerSettings
  readonly fhir: NonNullable<ConfigFile['fhir']>
  readonly cdsHooks: CdsHooksSettings
  /** Undefined: there are no jobs. */
  readonly jobs: JobSettings | undefined
}

export type Environment = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const MOST_WORKERS = 256
const MOST_PORT = 65_535

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
  const number = (name: string, otherwise: number, most: number, kind: string): number => {
    const text = env[name]
    if (text === undefined) return otherwise
    if (/^\d+$/.test(text) && Number(text) <= most) return Number(text)
    faults.add(name, 'environment', `must be a ${kind} from 0 to ${most}`)
    return otherwise
  }
  const port = number('PORT', 8080, MOST_PORT, 'port number')
  const processes = Math.max(1, number('PROCESSES', 1, MOST_WORKERS, 'number'))
  // Several processes share the cores already.
  const ownThreads = processes > 1 ? 1 : Math.max(1, availableParallelism() - 1)
  const workers = number('WORKERS', ownThreads, MOST_WORKERS, 'number')
  const logLevel = env['LOG_LEVEL'] ?? 'info'
  if (!LOG_LEVELS.includes(logLevel))
    faults.add('LOG_LEVEL', 'environment', `must be one of ${LOG_LEVELS.join(', ')}`)
  const keySecret = readSecret(env, 'KEY_SECRET', faults)
  const previousKeySecret = readSecret(env, 'KEY_SECRET_PREVIOUS', faults)
  if (previousKeySecret !== undefined && keySecret === undefined)
    faults.add('KEY_SECRET_PREVIOUS', 'environment', 'is set without KEY_SECRET')
  const databaseUrl = readSecret(env, 'DATABASE_URL', faults)
  const path = env['CONFIG']
  const read = path === undefined ? { file: DEFAULT_FILE, faults: [], parts: DEFAULT_FILE } : readFile(path)
  const all = [...faults.faults, ...read.faults]
  const absolute = (name: string): string => resolve(path === undefined ? '.' : dirname(path), name)
  const clinicalFolders = (read.parts?.clinical ?? []).map(absolute)
  if (read.file === undefined || all.length > 0)
    return { faults: all, parts: { clinicalFolders, deployments: read.parts?.deployments ?? [] } }
  const { audit, fhir, cdsHooks, server, jobs, ...file } = read.file
  const config: Config = {
    ...file,
    host: env['HOST'] ?? '127.0.0.1',
    port,
    dataDir: resolve(env['DATA_DIR'] ?? 'data'),
    clinicalFolders,
    logLevel,
    processes,
    workers,
    keySecret,
    previousKeySecret,
    databaseUrl,
    audit: { ...audit, ...(audit?.anchorFile && { anchorFile: absolute(audit.anchorFile) }) },
    server: serverSettings(server),
    jobs: jobs && jobSettings({ ...jobs, folder: absolute(jobs.folder) }),
    fhir: {
      ...fhir,
      ...(fhir?.mapping && { mapping: absolute(fhir.mapping) }),
      servers: (fhir?.servers ?? []).map(({ backend, ...each }) => ({
        ...each,
        ...(backend && { backend: { ...backend, key: absolute(backend.key) } }),
      })),
    },
    cdsHooks: {
      ...cdsHooks,
      issuers: (cdsHooks?.issuers ?? []).map((issuer) => ({
        ...issuer,
        ...(issuer.jwks && { jwks: absolute(issuer.jwks) }),
      })),
    },
  }
  return { config: Object.freeze(config), faults: [] }
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

function readFile(path: string): { file?: ConfigFile; faults: readonly Fault[]; parts?: ConfigParts } {
  const list = new FaultList(path)
  const { faults } = list
  if (!existsSync(path)) {
    list.add('', 'file-missing', 'CONFIG names a file that is not there')
    return { faults }
  }
  const value = jsonOfFile(readFileSync(path), list)
  if (faults.length > 0) return { faults }
  const file = checkConfigFile(value, list)
  return { ...(file && { file }), faults, parts: wellShapedParts(value) }
}
