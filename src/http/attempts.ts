/** Failed keys are counted by address, so that nobody can try keys at leisure or keep the store busy with them. */
import { isIPv6 } from 'node:net'
import { MemoryQuota } from '../store/memory-quota.ts'

export const DEFAULT_FAILED_KEYS_PER_MINUTE = 60
const HEXTETS_OF_A_NETWORK = 4

export class Attempts {
  readonly perMinute: number
  private readonly quota = new MemoryQuota()

  constructor(perMinute: number) {
    this.perMinute = perMinute
  }

  /** Milliseconds until the address may show an unknown key again; 0 when it may now. */
  waitMs(address: string): number {
    const { remaining, resetsInMs } = this.quota.look(networkOf(address), this.perMinute)
    return remaining > 0 ? 0 : resetsInMs
  }

  noteFailure(address: string): void {
    this.quota.take(networkOf(address), this.perMinute, 1)
  }
}

/** A household or a machine owns a whole IPv6 network of 64 bits, so single addresses of it mean nothing. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  return address.split(':').slice(0, HEXTETS_OF_A_NETWORK).join(':')
}
