/** Several processes that share a port. The primary starts the workers, counts for them, replaces one that dies, and stops them all. */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import { PrimaryProcess } from './shared-counts.ts'

const RESTART_MS = 1_000

interface ProcessesOptions {
  readonly count: number
  readonly log: Log
  readonly stop: Promise<void>
  /** How long a process may take to end after SIGTERM, before it is killed. */
  readonly killAfterMs: number
  readonly restartMs?: number
  /** Called once with the port, when the first worker listens. */
  readonly onListening: (port: number) => void
}

/** Runs the processes until this one is asked to stop. The exit code is 1 if they could not start, or if one had to be killed. */
export async function runProcesses(options: ProcessesOptions): Promise<number> {
  const { log, restartMs = RESTART_MS } = options
  let hasListened = false
  const running = new Set<Worker>()
  const primary = new PrimaryProcess()
  const failed = Promise.withResolvers<number>()
  const stopping = new AbortController()
  const { signal } = stopping
  const start = (): void => {
    const worker = cluster.fork()
    running.add(worker)
    // Once: a worker that listens at two addresses emits this twice.
    worker.once('listening', ({ port }) => {
      primary.serve(worker)
      if (!hasListened) options.onListening(port)
      hasListened = true
    })
    worker.on('exit', (code: number) => {
      running.delete(worker)
      if (signal.aborted) return
      log.error({ event: 'process-died', exitCode: code })
      // A process that could not even start would fail again: the port is taken, or the store cannot be opened.
      if (!hasListened) failed.resolve(1)
      // A stop ends this wait: a worker started after it would never be asked to stop.
      else void sleep(restartMs, undefined, { signal, ref: false }).then(start, () => undefined)
    })
  }
  for (let i = 0; i < options.count; i++) start()
  const code = await Promise.race([options.stop.then(() => 0), failed.promise])
  stopping.abort()
  const haveEnded = await Promise.all([...running].map((worker) => end(worker, options)))
  return haveEnded.includes(false) ? 1 : code
}

/** Asks a process to stop, and kills it if it does not. Returns whether it ended by itself. */
async function end(worker: Worker, { log, killAfterMs }: ProcessesOptions): Promise<boolean> {
  let hasEnded = true
  const timer = setTimeout(() => {
    hasEnded = false
    log.error({ event: 'process-killed' })
    worker.process.kill('SIGKILL')
  }, killAfterMs)
  const ended = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await ended
  clearTimeout(timer)
  return hasEnded
}

/**
 * Resolves at the first SIGTERM or SIGINT. A second signal ends a single process at once. It does not end a worker: a supervisor
 * such as systemd signals all processes, and the primary then signals the workers again.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      if (cluster.isWorker) process.on(signal, () => resolve())
      else process.once(signal, () => resolve())
    }
  })
}
