/** The thread's side of a pool: answers one job after the other. */
import { parentPort } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import type { AnswerMessage, Answered, JobMessage } from './message.ts'

export function serveJobs(answer: (job: unknown) => Answered | Promise<Answered>): void {
  const port = parentPort
  if (port === null) throw new Error('serveJobs runs in a thread of a pool')
  port.on('message', ({ job }: JobMessage) => {
    void attempt(() => answer(job)).then(({ message, transfer }) => port.postMessage(message, transfer))
  })
}

async function attempt(answer: () => Answered | Promise<Answered>): Promise<{
  readonly message: AnswerMessage
  readonly transfer: Answered['transfer']
}> {
  try {
    const { answer: given, transfer } = await answer()
    return { message: { answer: given }, transfer }
  } catch (error) {
    if (error instanceof AppError) {
      return { message: { refused: error.code, detail: error.detail }, transfer: [] }
    }
    const kind = error instanceof Error ? error.constructor.name : typeof error
    const frame = error instanceof Error ? /\n\s+at ([^\n]*)/.exec(error.stack ?? '')?.[1] : undefined
    return { message: { bug: { kind, place: frame ?? '' } }, transfer: [] }
  }
}
