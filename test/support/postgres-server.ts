/** A real PostgreSQL for tests, of the whole run or of one file: its own folder, a free port, gone afterwards. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { after } from 'node:test'
import pg from 'pg'
import { untilSucceeds } from './until.ts'
import { type PostgresPrograms, postgresPrograms } from './postgres-programs.ts'

export interface PostgresServer {
  /** Without the name of a database. */
  readonly origin: string
  /** The address of a new, empty database. */
  newDatabase(): Promise<string>
  /** The process that all others of the server belong to. */
  pid(): number
  start(): Promise<void>
  /** Ends the server; `start` starts it again with the same data. */
  stop(): Promise<void>
  /** Ends the server and removes its data. */
  remove(): Promise<void>
}

/** The variable with the origin of the server that all files of a run share; scripts/test.ts starts it. Empty where it could not. */
export const SHARED_SERVER = 'TEST_POSTGRES'

let missing: string | undefined
let isLookedFor = false

/** Why there is no PostgreSQL for tests; undefined where there is one. A process that finds this out says it in one line at its end. */
export function whyNoPostgres(): string | undefined {
  if (isLookedFor) return missing
  isLookedFor = true
  const shared = process.env[SHARED_SERVER]
  if (shared === '') missing = 'the run has none'
  if (shared !== undefined) return missing
  try {
    postgresPrograms()
  } catch (error) {
    missing = (error as Error).message
    sayMissing(missing)
  }
  return missing
}

/** The line that explains skipped tests, as the last one of the process. */
export function sayMissing(reason: string): void {
  const line = reason.replaceAll(/\s+/g, ' ')
  process.once('exit', () =>
    process.stderr.write(`Tests that need PostgreSQL were skipped, because it cannot run here: ${line}\n`),
  )
}

/** Options of a test that needs PostgreSQL: where there is none, it is skipped. */
export function needsPostgres(): { readonly skip: string | false } {
  return { skip: whyNoPostgres() === undefined ? false : 'needs PostgreSQL' }
}

/**
 * Gives the tests of a file new, empty databases: on the server of the run, else on one of the file's own, which ends with its tests.
 * Starting a server costs more than a second of a processor. Call this after the file's own `after`: hooks run in their order.
 */
export function useDatabases(): () => Promise<string> {
  let own: Promise<PostgresServer> | undefined
  after(async () => (await own)?.remove())
  return async () => {
    const shared = process.env[SHARED_SERVER]
    if (shared !== undefined) return makeDatabase(shared, `test_${process.pid}_${performance.now()}`)
    own ??= startPostgres()
    return (await own).newDatabase()
  }
}

async function makeDatabase(origin: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: `${origin}/postgres` })
  await client.connect()
  await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`)
  await client.end()
  return `${origin}/${name}`
}

const START = { timeoutMs: 20_000, what: 'the start of PostgreSQL' }
const STOP_MS = 60_000
const DROP = { attempts: 200, pauseMs: 50 }
const PASSWORD = 'password'

/** Nothing waits for the disk: what a killed server has written is still in the system's memory. */
const FAST = ['fsync=off', 'full_page_writes=off']
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...FAST]
/** Its messages in English, and the same order of texts on every machine. */
const LOCALE = { ...process.env, LC_ALL: 'C' }
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Whether the signals that end this process are handled. */
let isWatching = false

export async function startPostgres(programs = postgresPrograms()): Promise<PostgresServer> {
  const folder = mkdtempSync(join(programs.temporary, 'patient-risk-postgres-'))
  const removeFolder = (): void =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  let child: ChildProcess | undefined
  const run: Run = (program, args) => {
    const stdio = ['ignore', 'ignore', 'pipe'] as const
    const started = spawn(program, args, { ...programs.account, cwd: folder, env: LOCALE, stdio: [...stdio] })
    child = started
    return started
  }
  // From here on, for the process may end before the server is ready. Nobody needs the data then, so the server ends at once.
  const drop = (): void => {
    child?.kill('SIGQUIT')
    for (let attempt = 0; existsSync(folder) && attempt < DROP.attempts; attempt++) {
      try {
        rmSync(folder, { recursive: true, force: true })
      } catch {
        // The server still writes. At the exit of a process nothing but a blocking pause can wait for it.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, DROP.pauseMs)
      }
    }
  }
  process.once('exit', drop)
  watchSignals()
  let port: number
  try {
    await makeCluster(run, programs, folder)
    // Chosen right before it is used, and another one where somebody was quicker.
    port = await untilSucceeds(async () => {
      const free = await freePort()
      await begin(run, programs, folder, free)
      return free
    }, START)
  } catch (error) {
    removeFolder()
    process.off('exit', drop)
    const { message, cause } = error as Error
    throw new Error(cause instanceof Error ? `${message}: ${cause.message}` : message, { cause: error })
  }
  const origin = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}`
  let databases = 0
  return {
    origin,
    newDatabase: () => makeDatabase(origin, `test_${++databases}`),
    pid: () => Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
    start: () => untilSucceeds(() => begin(run, programs, folder, port), START),
    stop: () => end(child),
    async remove() {
      await end(child)
      removeFolder()
      process.off('exit', drop)
    },
  }
}

/** The server is a process of its own, and would go on after a signal has ended this one: a signal does not run what waits for the exit. */
function watchSignals(): void {
  if (isWatching) return
  isWatching = true
  for (const signal of ENDS) process.once(signal, () => process.exit(128 + constants.signals[signal]))
}

/** Starts a program as the user of the server. */
type Run = (program: string, args: readonly string[]) => ChildProcess & { readonly stderr: Readable }

async function makeCluster(run: Run, { initdb, account }: PostgresPrograms, folder: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 })
  if (account.uid !== undefined && account.gid !== undefined) {
    for (const path of [folder, passwordFile]) chownSync(path, account.uid, account.gid)
  }
  const flags = ['--auth=password', '--username=postgres', '--no-sync', '--encoding=UTF8', '--locale=C']
  const child = run(initdb, [`--pgdata=${join(folder, 'data')}`, `--pwfile=${passwordFile}`, ...flags])
  let said = ''
  child.stderr.on('data', (text) => (said += String(text)))
  // An error of the start itself rejects this.
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new Error(`initdb ended with ${status}: ${said.trim()}`)
}

/** Resolves when the server takes connections. */
function begin(run: Run, { postgres }: PostgresPrograms, folder: string, port: number): Promise<void> {
  const flags = SETTINGS.flatMap((each) => ['-c', each])
  const child = run(postgres, ['-D', join(folder, 'data'), '-p', String(port), ...flags])
  return new Promise((resolve, reject) => {
    let said = ''
    child.on('error', reject)
    child.once('close', () => reject(new Error(`PostgreSQL did not start: ${said.trim()}`)))
    // Read to the end, also later: a server whose messages nobody reads stops at a full pipe.
    child.stderr.on('data', (text) => {
      said = (said + String(text)).slice(-LONGEST_SAID)
      if (said.includes('ready to accept connections')) resolve()
    })
  })
}

/** Of the server's last messages, for an error. */
const LONGEST_SAID = 2_000

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  child.kill('SIGINT')
  await once(child, 'exit')
  clearTimeout(timer)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}
