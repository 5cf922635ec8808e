/** Starts the thread of one role for a SQLite file. */
import { Worker } from 'node:worker_threads'
import { type RpcPort, portOf, threadEntry, threadEnv } from '@patient-risk/runtime'
import type { ThreadData } from './sqlite-thread.ts'

export interface RunningThread {
  readonly port: RpcPort
  /** Ends it without closing the file, as the end of the process does. */
  end(): Promise<unknown>
}

/** `onEnd` is called when the thread has ended, by itself or not. */
export type StartThread = (data: ThreadData, onEnd: () => void) => RunningThread

export const startThread: StartThread = (data, onEnd) => {
  const worker = new Worker(threadEntry(import.meta.url, 'thread'), { workerData: data, env: threadEnv() })
  worker.on('error', onEnd).on('exit', onEnd).unref()
  return { port: portOf(worker), end: () => worker.terminate() }
}
