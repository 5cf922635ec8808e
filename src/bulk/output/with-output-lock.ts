/**
 * One run at a time for each output. The system itself holds the lock and gives it back when the process ends, however
 * that ends: a local address that no two processes can listen on. It lies in no folder, so nothing remains.
 */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { realpath } from 'node:fs/promises'
import { type Server, createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { CannotWrite, writing } from './sink.ts'

/** Runs the work while nobody else writes these files; refuses where somebody does. */
export async function withOutputLock<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const held: (Server | undefined)[] = []
  try {
    for (const path of paths) held.push(await hold(path))
    return await work()
  } finally {
    for (const server of held) server?.close()
  }
}

async function hold(path: string): Promise<Server | undefined> {
  const folder = await writing(path, () => realpath(dirname(path)))
  const address = addressOf(join(folder, basename(path)))
  if (address === undefined) return undefined
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen(address)
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return undefined
    throw new CannotWrite(path, 'another run is writing it; wait for its end, or name another file')
  }
  return server.unref()
}

/** Undefined where the system knows no such addresses. There each run still writes a file of its own: see the sink. */
function addressOf(place: string): string | undefined {
  const name = `patient-risk-${hash('sha256', place, 'hex')}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : undefined
}
