/** Starts the servers that are compared. docs/speed.md says what each of them does. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Plan } from 'patient-risk-engine'
import { definitionsFile, payloadFieldsFile } from './definitions-file.ts'
import { ROOT, type Server, serverOf, start, untilListening, waitFor } from './server-process.ts'

/** Where the files of a run are written. */
interface Place {
  readonly plan: Plan
  readonly folder: string
}

interface ServiceSettings {
  readonly hasJobs?: boolean
  /** The section of its deployment. */
  readonly outcomes?: object
}

/** The service with keys, limits and audit on; the limits are too high for the benchmark to reach. */
export async function startService(
  name: string,
  reader: 'bytes' | 'reference',
  processes = 1,
  further: Readonly<Record<string, string>> = {},
  more: ServiceSettings = {},
): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const config = join(folder, 'config.json')
  const limits = { requestsPerMinute: 1_000_000_000, recordsPerMinute: 1_000_000_000 }
  const deployment = {
    name: 'bench',
    basePath: '/',
    model: 'readmission30',
    output: 'number',
    reader,
    limits,
    ...(more.outcomes && { outcomes: more.outcomes }),
  }
  const jobs = { folder: join(folder, 'jobs'), jobsPerKey: 10_000 }
  writeFileSync(config, JSON.stringify({ ...(more.hasJobs === true && { jobs }), deployments: [deployment] }))
  const own = { DATA_DIR: join(folder, 'data'), CONFIG: config, PORT: '0', LOG_LEVEL: 'info' }
  const environment = { ...own, ...further }
  const child = start(
    process.execPath,
    ['bin/patient-risk.js', 'serve', '--processes', String(processes)],
    environment,
  )
  const said = await waitFor(child, /127\.0\.0\.1:(\d+)\/risk[^]*Bearer (\S+)'/)
  const cleanUp = (): void => rmSync(folder, { recursive: true, force: true })
  return serverOf(name, child, Number(said[1]), said[2] ?? '', '', cleanUp)
}

export async function startScript(name: string, file: string): Promise<Server> {
  const child = start(process.execPath, [file], {})
  const said = await waitFor(child, /listening (\d+)/)
  return serverOf(name, child, Number(said[1]), 'none', '')
}

/** What somebody would write instead: each audit row in a commit of its own, or those of one turn together. */
export async function startFastifyPeer(
  name: string,
  place: Place,
  auditing: 'each' | 'grouped',
): Promise<Server> {
  const folder = mkdtempSync(join(place.folder, 'peer-'))
  const args = ['bench/servers/peer/server.ts', definitionsFile(place), folder, auditing]
  const child = start(process.execPath, args, {})
  const said = await waitFor(child, /listening (\d+) key (\S+)\n/)
  const versions = `fastify ${versionOf('fastify')}, pino ${versionOf('pino')}, SQLite ${process.versions['sqlite']}`
  return serverOf(name, child, Number(said[1]), said[2] ?? '', versions)
}

function versionOf(name: string): string {
  const file = join(ROOT, 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

export interface Peer {
  readonly server: Server | undefined
  /** Why it could not be measured. */
  readonly missing: string
}

/** FastAPI from Python's package index, in a virtual environment of its own. */
export async function startFastApi(name: string, place: Place): Promise<Peer> {
  const folder = join(ROOT, 'bench', 'servers', '.venv')
  const python = join(folder, 'bin', 'python')
  const install = ['-m', 'pip', 'install', '--quiet', '--requirement', 'bench/servers/requirements.txt']
  const isReady =
    (existsSync(python) || didRun('python3', ['-m', 'venv', folder], ROOT)) && didRun(python, install, ROOT)
  if (!isReady)
    return { server: undefined, missing: `${name}: Python or its package index cannot be reached.` }
  return startPeer(name, python, ['bench/servers/fastapi_peer.py', payloadFieldsFile(place)])
}

/** axum with a typed record and sonic-rs, built from source. */
export async function startRust(name: string, place: Place): Promise<Peer> {
  // Cargo reads the settings of the folder that it runs in.
  const folder = join(ROOT, 'bench', 'servers', 'rust')
  if (!didRun('cargo', ['build', '--release', '--quiet', '--locked'], folder))
    return { server: undefined, missing: `${name}: cargo or its crates cannot be reached.` }
  return startPeer(name, join(folder, 'target', 'release', 'rust-peer'), [payloadFieldsFile(place)])
}

export function didRun(command: string, args: readonly string[], cwd: string): boolean {
  return spawnSync(command, args, { cwd, stdio: 'ignore' }).status === 0
}

export async function startPeer(name: string, command: string, args: readonly string[]): Promise<Peer> {
  const port = await freePort()
  const child = start(command, [...args, String(port)], {})
  try {
    const said = await waitFor(child, /versions (.+)\n/)
    await untilListening(port)
    return { server: serverOf(name, child, port, 'none', said[1] ?? ''), missing: '' }
  } catch {
    child.kill()
    return { server: undefined, missing: `${name}: the server did not start.` }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

export async function stopAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()))
}
