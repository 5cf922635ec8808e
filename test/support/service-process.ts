/** The service as a process of its own, as an operator runs it: real port, real folder, real signals. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from './until.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const START_MS = 60_000
const NO_QUOTA = { requestsPerMinute: null, recordsPerMinute: null }

export interface ServiceOptions {
  /** The section `server` of the configuration. */
  readonly server?: object
  /** Limits of the deployment, beside having no quota. */
  readonly limits?: object
  readonly unknownFields?: 'ignore' | 'report'
  /** Modules of `plants` that add a defect before the service starts. */
  readonly plants?: readonly string[]
  /** How many files it may open. */
  readonly openFiles?: number
  readonly logLevel?: string
  readonly processes?: number
  readonly failedKeysPerMinute?: number
}

export interface ServiceProcess {
  readonly origin: string
  readonly port: number
  readonly key: string
  readonly dataDir: string
  readonly child: ChildProcess
  /** Everything that it has printed so far. */
  output(): string
  errors(): string
  /** Resident memory in MB, of the largest process. */
  residentMb(): number
  /** Its exit code, once it has ended. */
  readonly exited: Promise<number | null>
  stop(): Promise<void>
}

export async function startService(options: ServiceOptions = {}): Promise<ServiceProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-torture-'))
  const config = join(dataDir, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      server: options.server ?? {},
      access: { failedKeysPerMinute: options.failedKeysPerMinute ?? 1_000_000 },
      deployments: [
        {
          name: 'readmission',
          basePath: '/',
          model: 'readmission30',
          output: 'number',
          unknownFields: options.unknownFields ?? 'ignore',
          limits: { ...NO_QUOTA, ...options.limits },
        },
      ],
    }),
  )
  const plants = (options.plants ?? []).flatMap((name) => [
    '--import',
    `./packages/server/test/torture/plants/${name}.ts`,
  ])
  const args = [
    process.execPath,
    ...plants,
    'packages/patient-risk/src/cli/main.ts',
    'serve',
    `--processes=${options.processes ?? 1}`,
  ]
  // The shell sets the limit and becomes the service, so that signals reach it.
  const limit = options.openFiles === undefined ? '' : `ulimit -n ${options.openFiles}; `
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      CONFIG: config,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: options.logLevel ?? 'info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed: Buffer[] = []
  const complained: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => complained.push(chunk))
  const output = (): string => Buffer.concat(printed).toString('utf8')
  const errors = (): string => Buffer.concat(complained).toString('utf8')
  const exited = once(child, 'exit').then(([code]) => code as number | null)

  const started = (): { readonly key: string; readonly origin: string } | undefined => {
    if (child.exitCode !== null) throw new Error(`exit code ${child.exitCode}`)
    const text = output()
    const key = /prk_[0-9A-Za-z]+_[0-9A-Za-z]+/.exec(text)?.[0]
    const origin = /curl (http:\/\/[^/]+)\//.exec(text)?.[1]
    return key === undefined || origin === undefined ? undefined : { key, origin }
  }
  const { key, origin } = await until(started, { timeoutMs: START_MS }).catch((cause: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`the service did not start: ${errors()}`, { cause })
  })
  const { pid = 0 } = child
  return {
    origin,
    port: Number(new URL(origin).port),
    key,
    dataDir,
    child,
    output,
    errors,
    exited,
    residentMb: () => Math.max(...processTree(pid).map(residentMb)),
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function processTree(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...children.map(Number)]
}

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
