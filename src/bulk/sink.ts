/** Where rows go: aside first, and to their own name only when the run is complete; or straight to the standard output. */
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { BadFile } from '../tables/bad-file.ts'
import { CannotWrite, writing } from './cannot-write.ts'

export interface Sink {
  /** Bytes written so far. */
  readonly size: number
  write(bytes: Uint8Array): Promise<void>
  /** Makes what was written durable. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The name under which an unfinished file lies. */
export function asideName(path: string): string {
  return `${path}.unfinished`
}

/** Where a finished file lies until it takes its name. */
export function convertedName(path: string): string {
  return `${path}.converted`
}

/** Every name beside a file's own under which a run writes something for it. */
export function asideNames(path: string): readonly string[] {
  const endings = ['checkpoint', 'checkpoint.new', 'unfinished.parts', 'converted']
  return [asideName(path), ...endings.map((ending) => `${path}.${ending}`)]
}

/**
 * Opens the aside file, cut back to `size`: what follows may be incomplete. One that starts again is
 * a new file, so that a run which still writes the old one cannot write into this.
 */
export async function openAside(path: string, size: number): Promise<Sink> {
  const aside = asideName(path)
  if (size === 0) {
    return writing(path, async () => {
      await rm(aside, { force: true })
      return new FileSink(path, await open(aside, 'wx', 0o600), 0)
    })
  }
  const there = (await stat(aside).catch(() => undefined))?.size ?? 0
  if (there < size)
    throw new BadFile('the unfinished output is no longer there as it was; start without --resume')
  return writing(path, async () => {
    const file = await open(aside, 'r+')
    await file.truncate(size)
    return new FileSink(path, file, size)
  })
}

/** The finished file appears under its own name, whole. */
export async function publish(path: string): Promise<void> {
  await writing(path, () => rename(asideName(path), path))
}

export async function discard(path: string): Promise<void> {
  await rm(asideName(path), { force: true })
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
    const [own, named] = await Promise.all([
      this.file.stat(),
      stat(asideName(this.path)).catch(() => undefined),
    ])
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
  const sink = {
    size: 0,
    write(bytes: Uint8Array): Promise<void> {
      sink.size += bytes.length
      return new Promise((resolve, reject) => {
        process.stdout.write(bytes, (error) => (error ? reject(notWritten(error)) : resolve()))
      })
    },
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  return sink
}

/** A reader that has gone is not a write error; the caller of the run decides what it is. */
function notWritten(error: NodeJS.ErrnoException): Error {
  const { code } = error
  return code === undefined || code === 'EPIPE' ? error : new CannotWrite('the standard output', code)
}
