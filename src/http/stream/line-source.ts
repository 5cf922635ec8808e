/** The body of a stream of lines: read as it comes, for as long as it keeps coming. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../errors.ts'

export const LINES_TYPE = 'application/x-ndjson'

export class LineSource {
  private readonly chunks: AsyncIterator<Buffer>
  private readonly slow: Promise<never>

  constructor(message: IncomingMessage, onSlow: (tell: () => void) => void) {
    this.chunks = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    this.slow = new Promise((_resolve, reject) => onSlow(() => reject(new AppError('BODY_TOO_SLOW'))))
    // It may come true when nobody is waiting; whoever waits next is told.
    this.slow.catch(() => undefined)
  }

  /** The next bytes; undefined at the end. Throws when they come too slowly or the caller is gone. */
  async next(): Promise<Buffer | undefined> {
    const next = await this.orSlow(this.chunks.next())
    return next.done === true ? undefined : next.value
  }

  /** Waits for something else that the caller must do, and no longer than for the body itself. */
  orSlow<T>(other: Promise<T>): Promise<T> {
    return Promise.race([other, this.slow])
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
