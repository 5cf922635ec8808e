/** Trusted proxies in front of the service, and the address of the caller whose request they forward. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export class TrustedProxies {
  private readonly list = new BlockList()

  /** Addresses or networks, as in 10.0.0.0/8. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/')
      const family = familyOf(address)
      if (bits === undefined) this.list.addAddress(address, family)
      else this.list.addSubnet(address, Number(bits), family)
    }
  }

  has(address: string): boolean {
    const plain = address.replace(/^::ffff:/, '')
    return isIP(plain) !== 0 && this.list.check(plain, familyOf(plain))
  }

  /**
   * The address of the caller. Each proxy appends the address of its own caller to the header, so the header is read from
   * the end, up to the first address that is not a trusted proxy.
   */
  callerOf(message: IncomingMessage): string {
    let caller = message.socket.remoteAddress ?? ''
    const forwarded = String(message.headers['x-forwarded-for'] ?? '').split(',')
    for (const entry of forwarded.reverse()) {
      const address = entry.trim()
      if (!this.has(caller) || isIP(address) === 0) return caller
      caller = address
    }
    return caller
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
