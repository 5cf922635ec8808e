/** A server under measurement: a process of its own, started here, ended here by its own handle. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
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

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const START_MS = 120_000
const TICK_MS = 10
const SCORING_PATH = '/risk/api/do/v0'

export async function untilListening(port: number): Promise<void> {
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

export function start(
  command: string,
  args: readonly string[],
  environment: Record<string, string>,
): ChildProcess {
  const env = { ...process.env, ...environment }
  return spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Waits for a line on standard output, and goes on reading so that the log never blocks the process. */
export function waitFor(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
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

export function serverOf(
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
    name,
    port,
    key,
    versions,
    path: SCORING_PATH,
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
