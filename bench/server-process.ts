/** A server under measurement: a process of its own, started here, ended here by its own handle. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Server {
  readonly name: string
  readonly port: number
  readonly path: string
  readonly key: string
  /** What it says of its versions. */
  readonly versions: string
  /** Processor time used so far, in milliseconds. */
  cpuMs(): number
  /** Resident memory now and at its highest, in bytes. */
  memory(): { readonly now: number; readonly peak: number }
  stop(): Promise<void>
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const START_MS = 30_000
const TICK_MS = 10
const SCORING_PATH = '/risk/api/do/v0'

/** The service with keys, limits and audit on; the limits are too high for the benchmark to reach. */
export async function startService(
  name: string,
  reader: 'bytes' | 'reference',
  processes = 1,
  further: Readonly<Record<string, string>> = {},
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
  }
  writeFileSync(config, JSON.stringify({ deployments: [deployment] }))
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

export interface Peer {
  readonly server: Server | undefined
  /** Why it could not be measured. */
  readonly missing: string
}

/** FastAPI from Python's package index, in a virtual environment of its own. */
export async function startFastApi(fieldsFile: string, port: number): Promise<Peer> {
  const name = 'FastAPI, pydantic 2, uvicorn'
  const folder = join(ROOT, 'bench', 'servers', '.venv')
  const python = join(folder, 'bin', 'python')
  const isReady =
    (existsSync(python) || didRun('python3', ['-m', 'venv', folder])) &&
    didRun(python, ['-m', 'pip', 'install', '--quiet', '--requirement', 'bench/servers/requirements.txt'])
  if (!isReady)
    return { server: undefined, missing: `${name}: Python or its package index cannot be reached.` }
  return startPeer(name, python, ['bench/servers/fastapi_peer.py', fieldsFile, String(port)], port)
}

/** axum and serde_json, built from source. */
export async function startRust(fieldsFile: string, port: number): Promise<Peer> {
  const name = 'Rust, axum, serde_json'
  const manifest = 'bench/servers/rust/Cargo.toml'
  if (!didRun('cargo', ['build', '--release', '--quiet', '--locked', '--manifest-path', manifest]))
    return { server: undefined, missing: `${name}: cargo or its crates cannot be reached.` }
  return startPeer(name, 'bench/servers/rust/target/release/rust-peer', [fieldsFile, String(port)], port)
}

function didRun(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { cwd: ROOT, stdio: 'ignore' }).status === 0
}

async function startPeer(
  name: string,
  command: string,
  args: readonly string[],
  port: number,
): Promise<Peer> {
  const child = start(command, args, {})
  try {
    const said = await waitFor(child, /versions (.+)\n/)
    await untilListening(port)
    return { server: serverOf(name, child, port, 'none', said[1] ?? ''), missing: '' }
  } catch {
    child.kill()
    return { server: undefined, missing: `${name}: the server did not start.` }
  }
}

async function untilListening(port: number): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the server did not start')
}

function start(command: string, args: readonly string[], environment: Record<string, string>): ChildProcess {
  const env = { ...process.env, ...environment }
  return spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Waits for a line on standard output, and goes on reading so that the log never blocks the process. */
function waitFor(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let said = ''
    let isFound = false
    const timer = setTimeout(() => reject(new Error('the server did not start')), START_MS)
    child.on('error', reject)
    child.on('exit', () => reject(new Error('the server ended')))
    child.stdout?.on('data', (part: Buffer) => {
      if (isFound) return
      said += part.toString()
      const match = pattern.exec(said)
      if (match === null) return
      isFound = true
      clearTimeout(timer)
      resolve(match)
    })
  })
}

function serverOf(
  name: string,
  child: ChildProcess,
  port: number,
  key: string,
  versions: string,
  cleanUp?: () => void,
): Server {
  const file = (entry: string): string => readFileSync(`/proc/${child.pid}/${entry}`, 'utf8')
  const kilobytes = (label: string): number =>
    Number(new RegExp(`${label}:\\s+(\\d+)`).exec(file('status'))?.[1]) * 1024
  return {
    ...{ name, port, key, versions, path: SCORING_PATH },
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    memory: () => ({ now: kilobytes('VmRSS'), peak: kilobytes('VmHWM') }),
    stop: () =>
      new Promise((resolve) => {
        child.on('exit', () => {
          cleanUp?.()
          resolve()
        })
        child.kill()
      }),
  }
}

/** Of a process and of all that it has started. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const own = (Number(fields[11]) + Number(fields[12])) * TICK_MS
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return started.reduce((sum, each) => sum + cpuMsOf(Number(each)), own)
}
