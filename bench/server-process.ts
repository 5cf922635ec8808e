/** A server under measurement: a process of its own, started here, ended here by its own handle. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/** The service with keys, limits and audit on; the limits are out of the benchmark's reach. */
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

/** The FastAPI peer, or undefined where Python or its packages are not installed. */
export async function startFastApi(fieldsFile: string, port: number): Promise<Server | undefined> {
  // The distribution's own Python has the distribution's packages, whatever else is called python3 here.
  const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'
  const child = start(python, ['bench/servers/fastapi_peer.py', fieldsFile, String(port)], {})
  try {
    const said = await waitFor(child, /versions (.+)\n/)
    return serverOf('FastAPI + pydantic', child, port, 'none', said[1] ?? '')
  } catch {
    child.kill()
    return undefined
  }
}

/** The plumber peer, or undefined where R or its packages are not installed. */
export async function startPlumber(fieldsFile: string, port: number): Promise<Server | undefined> {
  const child = start('Rscript', ['bench/servers/plumber_peer.R', fieldsFile, String(port)], {})
  try {
    const said = await waitFor(child, /versions (.+)\n/)
    return serverOf('R plumber', child, port, 'none', said[1] ?? '')
  } catch {
    child.kill()
    return undefined
  }
}

function start(command: string, words: readonly string[], environment: Record<string, string>): ChildProcess {
  const env = { ...process.env, ...environment }
  return spawn(command, words, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] })
}

/** What the process says on standard output, read on so that its log never blocks it. */
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
  const words = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const own = (Number(words[11]) + Number(words[12])) * TICK_MS
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return started.reduce((sum, each) => sum + cpuMsOf(Number(each)), own)
}
