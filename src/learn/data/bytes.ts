/** The text of a file, piece by piece; a gzipped file is unpacked on the way, whatever its name. */
import { createReadStream, openSync, readSync, closeSync, statSync } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { DataError } from './data-error.ts'

/** Tells how far a long piece of work has come. */
export type OnProgress = (done: number, of: number) => void

const CHUNK_BYTES = 1 << 20

export function isGzipped(path: string): boolean {
  const handle = openSync(path, 'r')
  const head = Buffer.alloc(2)
  readSync(handle, head, 0, 2, 0)
  closeSync(handle)
  return head[0] === 0x1f && head[1] === 0x8b
}

export async function* readText(path: string, onProgress: OnProgress): AsyncGenerator<string> {
  const size = statSync(path).size
  let done = 0
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  file.on('data', (chunk) => {
    done += chunk.length
    onProgress(done, size)
  })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const bytes = isGzipped(path) ? file.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : file
  file.on('error', (error) => bytes.destroy(error))
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk as Buffer, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw new DataError([`${path}: ${whyUnreadable(error as NodeJS.ErrnoException)}`])
  } finally {
    file.destroy()
  }
}

function whyUnreadable(error: NodeJS.ErrnoException): string {
  if (error.code === 'Z_BUF_ERROR') return 'the gzipped file is cut off; copy it again'
  if (error.code?.startsWith('Z_') === true) return 'the gzipped file is damaged; copy it again'
  if (error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text; save it as UTF-8'
  return `cannot be read (${error.code ?? error.name})`
}
