/** Opens slow connections of three kinds from a process of its own: arguments are port, key, how many of each, how long to wait. */
import { type Socket, connect } from 'node:net'

const [port = '', key = '', each = '', waitMs = ''] = process.argv.slice(2)
const SCORE = '/risk/api/do/v0'
const OPENED_A_SECOND = 500

/** Beginnings of requests that are never completed, and one whose answers are never read. */
const BEGINNINGS = [
  'GET / HTTP/1.1\r\nHost: localhost\r\nX: ',
  `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n[`,
]
const UNREAD = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(4)

const slow = new Set<Socket>()
const drip = setInterval(() => {
  for (const socket of slow) if (socket.writable) socket.write('a')
}, 1_000)
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

for (let i = 0; i < Number(each); i++) {
  for (const bytes of BEGINNINGS) open(bytes)
  open(UNREAD).pause()
  if (i % 10 === 9) await pause((30 * 1_000) / OPENED_A_SECOND)
}
// Ends when all connections are closed, or when the time is over.
const latest = performance.now() + Number(waitMs)
while (slow.size > 0 && performance.now() < latest) await pause(100)
process.send?.(slow.size)
clearInterval(drip)
for (const socket of slow) socket.destroy()
process.disconnect()

function open(bytes: string): Socket {
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  slow.add(socket)
  socket.on('error', () => undefined)
  socket.on('close', () => slow.delete(socket))
  socket.on('data', () => undefined)
  socket.write(bytes)
  return socket
}
