/** The thread's side of a pool: answers one job after the other. */
import { parentPort } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import type { AnswerMessage, Answered } from './pool.ts'

export function serveJobs(answer: (job: unknown) => Answered | Promise<Answered>): void {
  const port = parentPort
  if (port === null) throw new Error('serveJobs runs in a thread of a pool')
  port.on('message', (job: unknown) => {
    void (async () => answer(job))().then(
      (done) => port.postMessage({ answer: done.answer } satisfies AnswerMessage, done.transfer),
      (error: unknown) => port.postMessage(failureOf(error)),
    )
  })
}

function failureOf(error: unknown): AnswerMessage {
  if (error instanceof AppError) return { refused: error.code, detail: error.detail }
  const isError = error instanceof Error
  const kind = isError ? error.constructor.name : typeof error
  const frame = isError ? /\n\s+at ([^\n]*)/.exec(error.stack ?? '')?.[1] : undefined
  return { bug: { kind, place: frame ?? '' } }
}
