/** The name of a request: the caller's own where it sends one, else made here. */
import { createHash } from 'node:crypto'
import { orderedId } from './ordered-id.ts'

const PRINTABLE = /^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/
const DIGEST_LENGTH = 24

export interface RequestId {
  /** As the answer carries it. */
  readonly shown: string
  /** As logs carry it. A caller may write anything into its id, a patient's name too, so logs get a digest of it. */
  readonly logged: string
}

export function requestIdFor(given: string | string[] | undefined): RequestId {
  if (typeof given === 'string' && PRINTABLE.test(given))
    return { shown: given, logged: digestOfRequestId(given) }
  const made = orderedId()
  return { shown: made, logged: made }
}

/** The form in which a caller's own request id stands in logs. */
export function digestOfRequestId(given: string): string {
  return `sha256-${createHash('sha256').update(given).digest('hex').slice(0, DIGEST_LENGTH)}`
}
