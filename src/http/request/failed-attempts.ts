/** Failed keys are counted by address, so that nobody can try keys at leisure or keep the store busy with them. */
import { isIPv6 } from 'node:net'
import { Limiter } from '../../store/quota/limiter.ts'
import { MemoryQuota } from '../../store/quota/memory-quota.ts'
import type { QuotaSource } from '../../store/store.ts'

export const DEFAULT_FAILED_KEYS_PER_MINUTE = 60
const HEXTETS = 8
const HEXTETS_OF_A_NETWORK = 4

export class Attempts {
  readonly perMinute: number
  private readonly limiter: Limiter

  /** `quota` is where several processes count together; this one counts alone without it. */
  constructor(perMinute: number, quota: QuotaSource = new MemoryQuota()) {
    this.perMinute = perMinute
    this.limiter = new Limiter({
      takeQuota: async (counter, limit, want) => quota.take(counter, limit, want),
    })
  }

  /** Milliseconds until the address may show an unknown key again; 0 when it may now, as far as this process knows. */
  waitMs(address: string): number {
    return this.limiter.exhaustedMs(counterOf(address))
  }

  /** Milliseconds that the address must wait, where it has shown too many: perhaps to other processes. 0 otherwise. */
  async noteFailure(address: string): Promise<number> {
    const { isGranted, resetsInMs } = await this.limiter.take(counterOf(address), this.perMinute, 1)
    return isGranted ? 0 : resetsInMs
  }
}

/** Apart from the counters of the keys, which may stand in the same place. */
function counterOf(address: string): string {
  return `failed keys of ${networkOf(address)}`
}

/** A household or a machine owns a whole IPv6 network of 64 bits, so single addresses of it mean nothing. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':'))
  const zeros = Array.from({ length: Math.max(0, HEXTETS - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, HEXTETS_OF_A_NETWORK).join(':')
}
