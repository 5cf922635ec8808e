/** The body of a stream of lines, read chunk by chunk while it keeps coming. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../errors.ts'
import type { OpenStream } from '../connection/lifecycle.ts'

export class LineSource implements OpenStream {
  private readonly chunks: AsyncIterator<Buffer>
  private end: AppError | undefined
  /** Rejects the current wait. */
  private rejectWait: (error: AppError) => void = () => undefined

  constructor(message: IncomingMessage, onSlow: (end: () => void) => void) {
    this.chunks = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    onSlow(() => this.cutOff(new AppError('BODY_TOO_SLOW')))
  }

  /** The next bytes; undefined at the end. Throws when they come too slowly or the caller is gone. */
  async next(): Promise<Buffer | undefined> {
    const next = await this.orCutOff(this.chunks.next())
    return next.done === true ? undefined : next.value
  }

  /**
   * Waits for something that the caller must do, and no longer than for the body itself. Each wait has its own promise: one
   * shared promise raced against all waits would keep every one of them, and with them the whole body.
   */
  orCutOff<T>(other: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      other.then(resolve, reject)
      this.rejectWait = reject
      if (this.end !== undefined) reject(this.end)
    })
  }

  /** Ends the current wait and every later one with this error. */
  cutOff(error: AppError): void {
    this.end ??= error
    this.rejectWait(this.end)
  }
}
