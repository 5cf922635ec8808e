/** Opens a file or the standard input as bytes: unpacked when gzipped, without a byte order mark. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { BadFile } from './bad-file.ts'
import { evenParts } from './even-parts.ts'

export const STANDARD_INPUT = '-'
const READ_BYTES = 1024 * 1024
const HEAD_BYTES = 64 * 1024

export interface Input {
  readonly bytes: AsyncIterable<Buffer>
  /** Bytes of the file itself that have been read so far. */
  readonly readBytes: () => number
}

/** Whether it can be read once only, as a pipe can: the standard input, and whatever is no regular file. */
export function comesOnce(path: string): boolean {
  return path === STANDARD_INPUT || statSync(path, { throwIfNoEntry: false })?.isFile() !== true
}

/** The parts of a file are the same each time that it is read; those of a pipe come as they come. */
export function openInput(path: string): Input {
  const source: Readable =
    path === STANDARD_INPUT ? process.stdin : createReadStream(path, { highWaterMark: READ_BYTES })
  let read = 0
  source.on('data', (part: Buffer) => {
    read += part.length
  })
  source.pause()
  // Whoever reads is told. Before anybody does, the event alone would end the process.
  source.on('error', () => undefined)
  const bytes = comesOnce(path) ? unpacked(source) : evenParts(unpacked(source), READ_BYTES)
  return { bytes: withoutMark(bytes), readBytes: () => read }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * A Parquet file is read from its end, so one that is packed, or comes by pipe, is laid down first. It holds patients'
 * records, so it is removed also when the process is told to stop.
 */
export async function layDown(path: string): Promise<{ readonly path: string; remove(): void }> {
  if (!comesOnce(path) && !(await isGzip(path))) return { path, remove: () => undefined }
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-'))
  const laid = join(folder, 'input.parquet')
  const remove = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop)
    rmSync(folder, { recursive: true, force: true })
  }
  const stop = (signal: NodeJS.Signals): void => {
    remove()
    process.kill(process.pid, signal)
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    await pipeline(openInput(path).bytes, createWriteStream(laid, { mode: 0o600 }))
  } catch (error) {
    remove()
    throw error
  }
  return { path: laid, remove }
}

/** What tells a file from another of the same name: its size and time, and a digest of how it begins. */
export async function identityOf(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path)
  const file = await open(path)
  try {
    const head = Buffer.alloc(Math.min(size, HEAD_BYTES))
    await file.read(head, 0, head.length, 0)
    return `${size} ${mtimeMs} ${createHash('sha256').update(head).digest('hex')}`
  } finally {
    await file.close()
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await file.close()
  }
}

async function* unpacked(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const parts = source[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (head.length < 2) {
    const next = await parts.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  const all = chain(head, parts)
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* all
    return
  }
  const result = new PassThrough({ highWaterMark: READ_BYTES })
  pipeline(all, createGunzip({ chunkSize: 256 * 1024 }), result).catch((error: unknown) =>
    result.destroy(error as Error),
  )
  try {
    for await (const part of result) yield part as Buffer
  } catch {
    throw new BadFile('is not a whole gzip file: it is cut off or damaged; copy it again')
  }
}

async function* chain(head: Buffer, parts: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value
}

async function* withoutMark(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isStart = true
  for await (const part of parts) {
    if (isStart && part[0] === 0x1f && part[1] === 0x8b) throw new BadFile('is gzipped twice; unpack it once')
    const hasMark = isStart && part[0] === 0xef && part[1] === 0xbb && part[2] === 0xbf
    isStart = false
    yield hasMark ? part.subarray(3) : part
  }
}
