/** Counts failed keys by address and by key id. Processes and machines that share a store share the counts. */
import { isIPv6 } from 'node:net'
import { Limiter } from '../../store/quota/limiter.ts'
import type { Store } from '../../store/store.ts'

export const DEFAULT_FAILED_KEYS_PER_MINUTE = 60
const HEXTETS = 8
const HEXTETS_OF_A_NETWORK = 4
const PRINTABLE_ID = /^[0-9A-Za-z]{12}$/

export class FailedAttempts {
  readonly perMinute: number
  private readonly limiter: Limiter

  constructor(perMinute: number, store: Pick<Store, 'takeQuota'>) {
    this.perMinute = perMinute
    this.limiter = new Limiter(store)
  }

  /** Milliseconds until the next failure is answered as usual; 0 while the limits of the address and the id are not reached. */
  async noteFailure(address: string, keyId: string): Promise<number> {
    const ofAddress = await this.take(`failed keys of ${networkOf(address)}`)
    // Only while the address is below its limit: it cannot fill the store with counters of invented ids.
    if (ofAddress > 0 || !PRINTABLE_ID.test(keyId)) return ofAddress
    return this.take(`failed keys with id ${keyId}`)
  }

  private async take(counter: string): Promise<number> {
    const { isGranted, resetsInMs } = await this.limiter.take(counter, this.perMinute, 1)
    return isGranted ? 0 : resetsInMs
  }
}

/** A household or a machine owns a whole IPv6 network of 64 bits, so single addresses of it mean nothing. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':'))
  const zeros = Array.from({ length: Math.max(0, HEXTETS - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, HEXTETS_OF_A_NETWORK).join(':')
}
