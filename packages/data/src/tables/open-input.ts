/** Lists the inputs of a command, and opens a file or the standard input as bytes, unpacked, and as text in UTF-8. */
import { hash } from 'node:crypto'
import { createReadStream, createWriteStream, globSync, statSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { BadFile } from './bad-file.ts'
import type { Compression } from './formats.ts'

export const STANDARD_INPUT = '-'
export const READ_BYTES = 1024 * 1024
const HEAD_BYTES = 64 * 1024
const MAGIC_BYTES = 4

export interface Input {
  readonly bytes: AsyncIterable<Buffer>
  /** Bytes of the file itself that have been read so far. */
  readonly readBytes: () => number
}

/** Whether it can be read only once, as a pipe can: the standard input, and everything that is not a regular file. */
export function isReadOnce(path: string): boolean {
  return path === STANDARD_INPUT || statSync(path, { throwIfNoEntry: false })?.isFile() !== true
}

export function openInput(path: string): Input {
  const source: Readable =
    path === STANDARD_INPUT ? process.stdin : createReadStream(path, { highWaterMark: READ_BYTES })
  let read = 0
  source.on('data', (part: Buffer) => {
    read += part.length
  })
  source.pause()
  // The reader gets the error. Until somebody reads, the event alone would end the process.
  source.on('error', () => undefined)
  return { bytes: unpacked(source), readBytes: () => read }
}

/** Whether it can be read again, and is not compressed. */
export async function isPlainFile(path: string): Promise<boolean> {
  return !isReadOnce(path) && compressionIn(await headOf(path, MAGIC_BYTES)) === undefined
}

/** Copies an input that comes by pipe, or is compressed, to a plain file in the folder. Other files stay where they are. */
export async function spoolToTempFile(path: string, folder: string, name: string): Promise<string> {
  if (await isPlainFile(path)) return path
  const copy = join(folder, name)
  await pipeline(openInput(path).bytes, createWriteStream(copy, { mode: 0o600 }))
  return copy
}

/** Identifies the content of a file: its size, its time, and a digest of its first bytes. */
export async function identityOf(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path)
  const head = await headOf(path, Math.min(size, HEAD_BYTES))
  return `${size} ${mtimeMs} ${hash('sha256', head, 'hex')}`
}

/** The identities of inputs that can be read again here; null for others. */
export function identitiesOf(
  inputs: readonly { readonly path: string }[],
): Promise<readonly (string | null)[]> {
  return Promise.all(
    inputs.map(async ({ path }) => (isAddress(path) || isReadOnce(path) ? null : await identityOf(path))),
  )
}

async function headOf(path: string, size: number): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
  return buffer.subarray(0, bytesRead)
}

function compressionIn(head: Buffer): Compression | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  return head.length >= MAGIC_BYTES && head.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : undefined
}

async function* unpacked(source: Readable): AsyncGenerator<Buffer> {
  const parts = source[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
  let head = Buffer.alloc(0)
  while (head.length < MAGIC_BYTES) {
    const next = await parts.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  const all = (async function* (): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head
    yield* parts
  })()
  const compression = compressionIn(head)
  if (compression === undefined) {
    yield* all
    return
  }
  const unpack = compression === 'gzip' ? createGunzip({ chunkSize: 256 * 1024 }) : createZstdDecompress()
  // Its failure is handled below, where the bytes are read.
  pipeline(all, unpack).catch(() => undefined)
  let isStart = true
  try {
    for await (const part of unpack) {
      if (isStart && compressionIn(part as Buffer) !== undefined)
        throw new BadFile('is compressed twice; unpack it once')
      isStart = false
      yield part as Buffer
    }
  } catch (error) {
    if (error instanceof BadFile) throw error
    throw new BadFile(`is not a whole ${compression} file: it is cut off or damaged; copy it again`)
  }
}

/** The encodings that spreadsheets write. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

export function markedEncoding(head: Uint8Array): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 'utf-8' : undefined
}

/** The parts as UTF-8 without a byte order mark. UTF-8 is passed on unchanged and unchecked. */
export async function* decodeParts(parts: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    let isStart = true
    for await (const part of parts) {
      yield isStart && markedEncoding(part) === 'utf-8' ? part.subarray(3) : part
      isStart = false
    }
    return
  }
  const decoder = new TextDecoder(encoding)
  for await (const part of parts) yield Buffer.from(decoder.decode(part, { stream: true }))
  yield Buffer.from(decoder.decode())
}

const PATTERN = /[*?[{]/
const ADDRESS = /^(https?|s3):\/\//

export function isAddress(path: string): boolean {
  return ADDRESS.test(path)
}

/** The folder below which a pattern finds everything. */
export function patternRoot(pattern: string): string {
  const fixed = pattern.split(sep)
  const first = fixed.findIndex((part) => PATTERN.test(part))
  return fixed.slice(0, first < 0 ? -1 : first).join(sep) || (isAbsolute(pattern) ? sep : '.')
}

/** Every file once; the files of a folder or pattern are sorted by name. `isIncluded` chooses the files of a folder. */
export function listInputs(
  inputs: readonly string[],
  isIncluded: (path: string) => boolean,
): readonly string[] {
  const all = inputs.flatMap((input) => {
    if (input === STANDARD_INPUT || isAddress(input)) return [input]
    const found = statSync(input, { throwIfNoEntry: false })
    if (found !== undefined && !found.isDirectory()) return [input]
    if (found === undefined && !PATTERN.test(input)) throw new BadFile(`${input}: there is no such file`)
    // The name of a folder is no pattern.
    const inside = (): string[] => globSync('**/*', { cwd: input }).map((path) => join(input, path))
    const files = (found === undefined ? globSync(input) : inside())
      // A link to nothing is refused when it is read: a file that is expected must not be left out without a word.
      .filter((path) => !isHidden(path) && isIncluded(path) && isFileOrLost(path))
      .sort()
    if (files.length === 0) throw new BadFile(`${input}: there is no file to score`)
    return files
  })
  return [...new Set(all)]
}

function isFileOrLost(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? true
}

/** Files of other programs, such as `_SUCCESS` in Spark's output, and leftovers of an unfinished run. */
function isHidden(path: string): boolean {
  return path.split(sep).some((part) => /^[._](?!\.?$)/.test(part)) || path.includes('.unfinished')
}
