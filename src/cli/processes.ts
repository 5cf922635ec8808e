/** Several processes behind one port. The first process starts them, counts for them, replaces one that dies, and stops them all. */
import cluster, { type Worker } from 'node:cluster'
import type { Log } from '../http/log.ts'
import { FirstProcess } from './first-process.ts'

const RESTART_MS = 1_000

/** Runs the processes until this one is asked to stop. `onListening` is told the port once, by the first that listens. */
export async function runProcesses(
  count: number,
  log: Log,
  stop: Promise<void>,
  onListening: (port: number) => void,
): Promise<number> {
  let isStopping = false
  let hasListened = false
  const running = new Set<Worker>()
  const first = new FirstProcess()
  const failed = Promise.withResolvers<number>()
  const start = (): void => {
    const worker = cluster.fork()
    running.add(worker)
    // Before that it has nothing to ask, and nothing to say. One that listens at two addresses says so twice.
    worker.once('listening', () => first.serve(worker))
    worker.on('exit', (code: number) => {
      running.delete(worker)
      if (isStopping) return
      log.error({ event: 'process-died', exitCode: code })
      // A process that could not even start would fail again: the port is taken, or the store cannot be opened.
      if (!hasListened) failed.resolve(1)
      else setTimeout(start, RESTART_MS).unref()
    })
  }
  cluster.on('listening', (_worker, { port }) => {
    if (!hasListened) onListening(port)
    hasListened = true
  })
  for (let i = 0; i < count; i++) start()
  const code = await Promise.race([stop.then(() => 0), failed.promise])
  isStopping = true
  await Promise.all([...running].map(end))
  return code
}

function end(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve())
    worker.process.kill('SIGTERM')
  })
}
