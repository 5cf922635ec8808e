/** The id of a request: the caller's own where it sends a valid one, otherwise a UUID of version 7. */
import { randomBytes } from 'node:crypto'
import { type Seal, sealRequestId } from '../../store/audit/seal.ts'

const PRINTABLE = /^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/

export interface RequestId {
  /** As the answer carries it. */
  readonly shown: string
  /** As logs carry it. A caller may write anything into its id, also a patient's name, so logs get it sealed. */
  readonly logged: string
}

export function requestIdFor(given: string | string[] | undefined, seal: Seal): RequestId {
  if (typeof given === 'string' && PRINTABLE.test(given))
    return { shown: given, logged: sealRequestId(seal, given) }
  const made = orderedId()
  return { shown: made, logged: made }
}

/** Ids that grow with time (RFC 9562). */
export function orderedId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  const random = nextRandom()
  const variant = ((parseInt(random.slice(3, 4), 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
}

const RANDOM_DIGITS = 20
const POOL_BYTES = (RANDOM_DIGITS / 2) * 256
let pool = ''
let used = 0

/** Twenty random hexadecimal digits. They are drawn in large portions, because each draw is a call to the system. */
function nextRandom(): string {
  if (used === pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex')
    used = 0
  }
  used += RANDOM_DIGITS
  return pool.slice(used - RANDOM_DIGITS, used)
}
