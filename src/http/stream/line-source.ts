/** The body of a stream of lines: read as it comes, for as long as it keeps coming. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../errors.ts'
import type { OpenStream } from '../connection/lifecycle.ts'

export const LINES_TYPE = 'application/x-ndjson'

export class LineSource implements OpenStream {
  place = -1
  private readonly chunks: AsyncIterator<Buffer>
  private end: AppError | undefined
  /** Ends the wait that is under way, or that was the last. */
  private giveUp: (error: AppError) => void = () => undefined

  constructor(message: IncomingMessage, onSlow: (tell: () => void) => void) {
    this.chunks = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    onSlow(() => this.cutOff(new AppError('BODY_TOO_SLOW')))
  }

  /** The next bytes; undefined at the end. Throws when they come too slowly or the caller is gone. */
  async next(): Promise<Buffer | undefined> {
    const next = await this.orCutOff(this.chunks.next())
    return next.done === true ? undefined : next.value
  }

  /**
   * Waits for something else that the caller must do, and no longer than for the body itself. Each wait has a promise of its
   * own: one that all of them were raced against would keep every one, and with them the whole body.
   */
  orCutOff<T>(other: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      other.then(resolve, reject)
      this.giveUp = reject
      if (this.end !== undefined) reject(this.end)
    })
  }

  /** Nothing more is waited for: neither now nor later. */
  cutOff(error: AppError): void {
    this.end ??= error
    this.giveUp(this.end)
  }
}

/** The media type, or undefined where a charset other than UTF-8 is named: it would be misread. */
export function mediaType(contentType: string | undefined): string | undefined {
  // As nearly everybody writes it.
  if (contentType === 'application/json') return contentType
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const isUtf8 = parameters.every((each) => !each.startsWith('charset=') || /^charset="?utf-8"?$/.test(each))
  return isUtf8 ? type : undefined
}
