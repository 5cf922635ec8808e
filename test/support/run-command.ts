/** Runs the command line, in a process of its own or in this one, with an environment that nothing leaks into. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run as runCommand } from 'patient-risk/cli'

export const MAIN = fileURLToPath(new URL('../../packages/patient-risk/src/cli/main.ts', import.meta.url))

/** An environment with compiled code of earlier starts alone, which halves the time of a start and changes nothing else. */
export const COMPILED = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url)),
}

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export function start(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    env: { ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>()
  const child = start(args, env)
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  child.on('close', (code) => resolve({ code, out, err }))
  return promise
}

let last: Promise<unknown> = Promise.resolve()
// A command leaves its listeners to the end of its process.
for (const each of [process, process.stdout, process.stderr]) each.setMaxListeners(0)

/** A command in this process, where a process of its own is not the subject: one after the other, as they share its streams. */
export function runHere(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const ran = last.then(() => captured(args, env))
  last = ran.catch(() => undefined)
  return ran
}

async function captured(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const written = { out: '', err: '' }
  const streams = { out: process.stdout, err: process.stderr } as const
  const own = {
    out: process.stdout.write.bind(process.stdout),
    err: process.stderr.write.bind(process.stderr),
  }
  const before = process.env
  // Threads that the command starts find the compiled code by the environment.
  process.env = { ...COMPILED, ...env }
  for (const name of ['out', 'err'] as const) {
    streams[name].write = (text: string | Uint8Array, ...more: unknown[]): boolean => {
      // Bytes are the test runner's reports about this process, which go on meanwhile.
      if (typeof text !== 'string') return own[name](text, ...(more as []))
      written[name] += text
      return true
    }
  }
  try {
    const code = await runCommand(args)
    return { code, ...written }
  } finally {
    process.env = before
    for (const name of ['out', 'err'] as const) streams[name].write = own[name]
  }
}

/** Reads a child's output until it holds the pattern. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let out = ''
  const read = (chunk: Buffer): void => {
    out += chunk.toString()
    if (pattern.test(out)) resolve(out)
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  child.on('close', () => reject(new Error(`it ended without ${pattern.source}: ${out}`)))
  return promise
}

export async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  return ended
}

/** Serves while something is done, and ends whatever comes of it. */
export async function whileServing(
  env: Readonly<Record<string, string>>,
  act: (child: ChildProcess) => Promise<void>,
): Promise<number | null> {
  // A thread more would only compile the models once more.
  const child = start(['serve'], { WORKERS: '1', ...env })
  try {
    await act(child)
    return await stop(child)
  } finally {
    child.kill('SIGKILL')
  }
}

export async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-cli-'))
  try {
    await act(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
