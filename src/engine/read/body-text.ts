/** Bytes to text to values. What the runtime's own errors say of a body quotes it, so they go no further. */
import { AppError } from '../../errors.ts'

// A byte order mark is kept, so that the parser refuses it: two bodies that differ must not be read as one.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function decodeText(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch {
    throw new AppError('BODY_NOT_UTF8')
  }
}

export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('BODY_MALFORMED')
  }
}
