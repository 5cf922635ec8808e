/** Where rows are written: to a temporary name until the run is complete, or to the standard output. One run at a time. */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { type Server, createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { BadFile } from '../../tables/bad-file.ts'

/** A file that a run cannot write: which one, and what the system says. Any other failure of the system is the input's. */
export class WriteError extends Error {
  override readonly name = 'WriteError'

  constructor(path: string, why: string) {
    super(`${path}: cannot be written (${why})`)
  }
}

export async function writing<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A reader of the standard output that has gone is not a write error; the caller decides what it is.
    if (code === undefined || code === 'EPIPE') throw error
    throw new WriteError(path, code)
  }
}

export interface TempOutput {
  write(bytes: Uint8Array): Promise<void>
  /** Makes what was written durable. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The name of the file with the rows of an unfinished run. */
export function tempName(path: string): string {
  return `${path}.unfinished`
}

/** The name of the file with the rows of a run in which identifiers repeat, when all are marked as such. */
export function markedName(path: string): string {
  return `${path}.unfinished.marked`
}

export function tempNames(path: string): readonly string[] {
  const endings = ['checkpoint', 'checkpoint.converted', 'unfinished.parts', 'converted']
  return [tempName(path), markedName(path), ...endings.map((ending) => `${path}.${ending}`)]
}

/** Writes a file in one step: it appears under its own name when it is whole, also after a power cut. */
export function writeWhole(path: string, write: (temp: string) => Promise<void>): Promise<void> {
  const temp = `${path}.converted`
  const written = writing(path, () => write(temp)).then(() => publishFile(temp, path))
  return written.finally(() => rm(temp, { force: true }).catch(() => undefined))
}

/** Gives a complete file its name, when its content is on the disk. */
export function publishFile(temp: string, path: string): Promise<void> {
  return writing(path, async () => {
    await flush(temp, 'r+')
    await rename(temp, path)
    // Windows does not open folders.
    if (process.platform !== 'win32') await flush(dirname(path), 'r')
  })
}

async function flush(path: string, flags: 'r' | 'r+'): Promise<void> {
  await using file = await open(path, flags)
  await file.sync()
}

/**
 * Opens the file of an unfinished run, cut back to `size`: what follows may be incomplete. A run that starts again gets
 * a new file, so that a run which still writes the old one cannot write into this.
 */
export async function openTempOutput(path: string, size: number): Promise<TempOutput> {
  const temp = tempName(path)
  const there = size === 0 ? 0 : ((await stat(temp).catch(() => undefined))?.size ?? 0)
  if (there < size)
    throw new BadFile('the unfinished output is no longer there as it was; start without --resume')
  const file = await writing(path, async () => {
    if (size === 0) await rm(temp, { force: true })
    const opened = await open(temp, size === 0 ? 'ax' : 'a', 0o600)
    await opened.truncate(size)
    return opened
  })
  return {
    write: (bytes) => writing(path, () => file.appendFile(bytes)),
    async sync() {
      await writing(path, () => file.datasync())
      const named = await stat(temp).catch(() => undefined)
      const own = await file.stat()
      if (own.ino !== named?.ino || own.dev !== named.dev)
        throw new WriteError(path, 'another run has begun to write it, or the unfinished file was removed')
    },
    close: () => file.close(),
  }
}

/** The command that prints ignores the error events of the stream: the writer gets the error. */
export async function print(bytes: Uint8Array): Promise<void> {
  await writing('the standard output', () => {
    return new Promise<void>((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  })
}

export async function printFile(path: string): Promise<void> {
  for await (const part of createReadStream(path)) await print(part as Buffer)
}

/**
 * Runs the work while no other run writes these files; refuses if one does. The system itself holds the lock and gives it
 * back when the process ends, however that ends: a local address, which only one process can listen on and which leaves no file.
 */
export async function withOutputLock<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const held: Server[] = []
  try {
    for (const path of paths) held.push(await hold(path))
    return await work()
  } finally {
    for (const server of held) server.close()
  }
}

async function hold(path: string): Promise<Server> {
  const folder = await writing(path, () => realpath(dirname(path)))
  const name = `patient-risk-${hash('sha256', join(folder, basename(path)), 'hex')}`
  const addresses: Partial<Record<NodeJS.Platform, string>> = {
    linux: `\0${name}`,
    win32: `\\\\.\\pipe\\${name}`,
  }
  const address = addresses[process.platform]
  const server = createServer((socket) => socket.destroy()).unref()
  // Other systems know no such addresses. There each run still writes a file of its own: see `openTempOutput`.
  if (address === undefined) return server
  await once(server.listen(address), 'listening').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new WriteError(path, 'another run is writing it; wait for its end, or name another file')
  })
  return server
}
