/** Where rows go: to another name first, and to their own only when the run is complete; or to the standard output. */
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { BadFile } from '../../tables/bad-file.ts'

/** A file that a run cannot write: which one, and what the system says. Any other failure of the system is the input's. */
export class CannotWrite extends Error {
  override readonly name = 'CannotWrite'

  constructor(path: string, why: string) {
    super(`${path}: cannot be written (${why})`)
  }
}

/** Does something to a file that is written. */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A reader of the standard output that has gone is not a write error; the caller decides what it is.
    if (code === undefined || code === 'EPIPE') throw error
    throw new CannotWrite(path, code)
  }
}

export interface Sink {
  /** Bytes written so far. */
  readonly size: number
  write(bytes: Uint8Array): Promise<void>
  /** Makes what was written durable. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The name under which the rows of an unfinished run lie. */
export function asideName(path: string): string {
  return `${path}.unfinished`
}

/** Where a finished file lies until it gets its own name. */
export function convertedName(path: string): string {
  return `${path}.converted`
}

/** Every name beside a file's own under which a run writes something for it. */
export function asideNames(path: string): readonly string[] {
  const endings = ['unfinished', 'checkpoint', 'checkpoint.new', 'unfinished.parts', 'converted']
  return endings.map((ending) => `${path}.${ending}`)
}

/** Writes a file in one step: it appears under its own name when it is whole. */
export async function writeWhole(path: string, write: (aside: string) => Promise<void>): Promise<void> {
  const aside = convertedName(path)
  try {
    await writing(path, async () => {
      await write(aside)
      await rename(aside, path)
    })
  } finally {
    await rm(aside, { force: true }).catch(() => undefined)
  }
}

/**
 * Opens the file of an unfinished run, cut back to `size`: what follows may be incomplete. A run that starts again gets
 * a new file, so that a run which still writes the old one cannot write into this.
 */
export async function openAside(path: string, size: number): Promise<Sink> {
  const aside = asideName(path)
  const there = size === 0 ? 0 : ((await stat(aside).catch(() => undefined))?.size ?? 0)
  if (there < size)
    throw new BadFile('the unfinished output is no longer there as it was; start without --resume')
  return writing(path, async () => {
    if (size === 0) await rm(aside, { force: true })
    const file = await open(aside, size === 0 ? 'wx' : 'r+', 0o600)
    await file.truncate(size)
    return new FileSink(path, file, size)
  })
}

class FileSink implements Sink {
  size: number
  private readonly path: string
  private readonly file: FileHandle

  constructor(path: string, file: FileHandle, size: number) {
    this.path = path
    this.file = file
    this.size = size
  }

  write(bytes: Uint8Array): Promise<void> {
    return writing(this.path, async () => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.file.write(bytes, done, bytes.length - done, this.size)
        done += bytesWritten
        this.size += bytesWritten
      }
    })
  }

  async sync(): Promise<void> {
    await writing(this.path, () => this.file.datasync())
    const named = await stat(asideName(this.path)).catch(() => undefined)
    const own = await this.file.stat()
    if (own.ino !== named?.ino || own.dev !== named.dev)
      throw new CannotWrite(
        this.path,
        'another run has begun to write it, or the unfinished file was removed',
      )
  }

  close(): Promise<void> {
    return this.file.close()
  }
}

export function standardOutput(): Sink {
  // The writer gets the error. An unhandled event would end the process without a message.
  process.stdout.on('error', () => undefined)
  return {
    size: 0,
    write: (bytes) =>
      writing('the standard output', () => {
        return new Promise((resolve, reject) => {
          process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
        })
      }),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

export async function printFile(path: string): Promise<void> {
  const output = standardOutput()
  for await (const part of createReadStream(path)) await output.write(part as Buffer)
}
