/** A proxy to a server that can be slowed down: every chunk is delayed, in both directions. */
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

export interface SlowProxy {
  readonly port: number
  delayMs: number
  close(): void
}

export async function slowProxyTo(port: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      // The order of the pieces is kept: each waits for the one before.
      let last = Promise.resolve()
      from.on('data', (piece: Buffer) => {
        const { delayMs } = proxy
        last = last.then(async () => {
          if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
          if (!to.destroyed) to.write(piece)
        })
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: SlowProxy = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  return proxy
}
