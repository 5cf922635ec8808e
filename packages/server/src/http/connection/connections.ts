/**
 * Bounds the open connections, in total and per address. When there is no room, a new connection replaces the slowest one:
 * a caller that opens a thousand connections and sends nothing on them displaces only itself.
 */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerSettings } from '@patient-risk/catalog/config'
import type { TrustedProxies } from './trusted-proxies.ts'

interface Connection {
  readonly address: string
  /** When its current state began. */
  since: number
  /** Bytes read when it last became idle: more than that is the beginning of a request. */
  bytesWhenIdle: number
  current: ServerResponse | undefined
}

/** Files and sockets that the process needs for itself. */
const RESERVED_FILES = 128

export class Connections {
  readonly total: number
  evicted = 0
  refused = 0
  private readonly perAddress: number
  private readonly proxies: TrustedProxies
  private readonly open = new Map<Socket, Connection>()
  private readonly byAddress = new Map<string, number>()

  constructor(settings: Pick<ServerSettings, 'connections'>, proxies: TrustedProxies) {
    this.total = Math.min(settings.connections.total, Math.max(1, openFilesLimit() - RESERVED_FILES))
    this.perAddress = settings.connections.perAddress
    this.proxies = proxies
  }

  get count(): number {
    return this.open.size
  }

  attach(server: Server): void {
    server.on('connection', (socket: Socket) => this.acceptConnection(socket, performance.now()))
    server.prependListener('request', (message: IncomingMessage, response: ServerResponse) => {
      const connection = this.open.get(message.socket)
      if (connection === undefined) return
      connection.current = response
      connection.since = performance.now()
    })
  }

  /** Call when a response is over: its connection then waits for the next request. */
  answered(message: IncomingMessage): void {
    const connection = this.open.get(message.socket)
    if (connection?.current?.req !== message) return
    connection.current = undefined
    connection.since = performance.now()
    connection.bytesWhenIdle = message.socket.bytesRead
  }

  private acceptConnection(socket: Socket, now: number): void {
    const address = socket.remoteAddress ?? ''
    const ofAddress = this.byAddress.get(address) ?? 0
    const isOverLimit = ofAddress >= this.perAddress && !this.proxies.has(address)
    if ((isOverLimit && !this.evict(now, address)) || (this.open.size >= this.total && !this.evict(now))) {
      this.refused++
      socket.destroy()
      return
    }
    this.open.set(socket, { address, since: now, bytesWhenIdle: 0, current: undefined })
    this.byAddress.set(address, (this.byAddress.get(address) ?? 0) + 1)
    socket.once('close', () => this.forget(socket))
  }

  /** Ends the connection that has kept the service waiting longest; false if no connection can be closed. */
  private evict(now: number, address?: string): boolean {
    let victim: Socket | undefined
    let worst = 0
    for (const [socket, connection] of this.open) {
      if (address !== undefined && connection.address !== address) continue
      const rank = slowness(socket, connection, now)
      if (rank > worst) {
        worst = rank
        victim = socket
      }
    }
    if (victim === undefined) return false
    this.evicted++
    this.forget(victim)
    victim.destroy()
    return true
  }

  private forget(socket: Socket): void {
    const connection = this.open.get(socket)
    if (connection === undefined) return
    this.open.delete(socket)
    const left = (this.byAddress.get(connection.address) ?? 1) - 1
    if (left === 0) this.byAddress.delete(connection.address)
    else this.byAddress.set(connection.address, left)
  }
}

/** How long a connection has kept the service waiting; 0 for one that must not be ended. */
function slowness(socket: Socket, { since, bytesWhenIdle, current }: Connection, now: number): number {
  // Never 0: a connection that has only just opened also waits for its caller, not for the service.
  const waited = now - since + Number.EPSILON
  if (current === undefined) {
    // A connection between two requests is ended last: its caller has done nothing wrong.
    const isBetween = bytesWhenIdle > 0 && socket.bytesRead === bytesWhenIdle
    return isBetween ? waited / 1e9 : waited
  }
  const isAnswering = current.req.complete && !current.writableEnded
  return isAnswering ? 0 : waited
}

/** How many files the system lets this process open; no limit where the system does not say. */
function openFilesLimit(): number {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return line === null ? Infinity : Number(line[1])
  } catch {
    return Infinity
  }
}
