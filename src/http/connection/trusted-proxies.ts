/** Trusted proxies in front of the service, and the address of the caller whose request they forward. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export class TrustedProxies {
  private readonly list = new BlockList()
  private readonly isEmpty: boolean

  /** Addresses or networks, as in 10.0.0.0/8. */
  constructor(entries: readonly string[]) {
    this.isEmpty = entries.length === 0
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/')
      const family = familyOf(address)
      if (bits === undefined) this.list.addAddress(address, family)
      else this.list.addSubnet(address, Number(bits), family)
    }
  }

  has(address: string): boolean {
    if (this.isEmpty) return false
    const plain = address.replace(/^::ffff:/, '')
    return this.list.check(plain, familyOf(plain))
  }

  /**
   * The address of the caller. Each proxy appends the address of its own caller to the header, so the header is read from
   * the end, up to the first address that is not a trusted proxy.
   */
  callerOf(message: IncomingMessage): string {
    let caller = message.socket.remoteAddress ?? ''
    if (!this.has(caller)) return caller
    const forwarded = [message.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    for (const entry of forwarded.reverse()) {
      const address = entry.trim()
      if (isIP(address) === 0) return caller
      caller = address
      if (!this.has(caller)) return caller
    }
    return caller
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
