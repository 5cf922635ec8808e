/**
 * Reads and writes the tables of jobs, for the service: each in a process of its own, which has a low priority and ends with the
 * service. So neither DuckDB nor a table that takes all memory reaches a call.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { AppError, type ErrorCode, threadEntry } from '@patient-risk/runtime'
import type { TableResult, TableRunner, TableTask } from '@patient-risk/server'

/** What the process says. Counts are lists, since a Map does not become JSON. */
export type ChildMessage =
  | { readonly kind: 'counted'; readonly rows: number }
  | { readonly kind: 'done'; readonly result: TableResult }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string }
  | { readonly kind: 'bug'; readonly error: string }

export const tableRunner: TableRunner = {
  isAvailable() {
    try {
      createRequire(import.meta.url).resolve('@duckdb/node-api')
      return true
    } catch {
      return false
    }
  },
  run: (task, onCounted, signal) =>
    new Promise<TableResult>((resolve, reject) => {
      // Not by the arguments or the environment, which other users of the machine may read.
      const child = fork(threadEntry(import.meta.url, 'table-process'), [], {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      })
      giveWay(child)
      const stop = (): void => void child.kill('SIGKILL')
      signal.addEventListener('abort', stop)
      if (signal.aborted) stop()
      const refuse = (error: Error): void => {
        reject(error)
        stop()
      }
      let said: ChildMessage | undefined
      child.on('message', (message: ChildMessage) => {
        if (message.kind !== 'counted') {
          said = message
          return
        }
        onCounted(message.rows).then(() => void child.send('score', () => undefined), refuse)
      })
      child.on('error', reject)
      child.on('close', () => {
        signal.removeEventListener('abort', stop)
        if (said?.kind === 'done') resolve(said.result)
        else reject(errorOf(said))
      })
      child.send(task satisfies TableTask, (error) => {
        if (error !== null) child.kill('SIGKILL')
      })
    }),
}

function errorOf(said: ChildMessage | undefined): Error {
  if (said?.kind === 'refused') return new AppError(said.code, said.detail)
  if (said?.kind === 'bug') return new Error(said.error)
  return new AppError('JOB_FAILED', ENDED)
}

const ENDED =
  'The process that read the table ended early, most likely for want of memory. Send it in several jobs.'

/** Where the system forbids it, the process goes on as it is. */
function giveWay({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It is a courtesy to calls.
  }
}
