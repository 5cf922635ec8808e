/**
 * The file in which the service keeps the newest head of the chain, outside the store: one line a day, and the line of today is written
 * anew every second. A store that was deleted, or replaced by an older copy, does not contain that head.
 */
import { chownSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { type Anchor, type Ends, type StoreAnchor, anchorOf, readAnchor } from './anchor.ts'
import { contentOf } from './audit-row.ts'
import { StoreError, withinLimit } from '@patient-risk/runtime'

/** Of every line, so that a line is written anew in its place by one write. The longest anchor has some 190 bytes. */
const LINE_BYTES = 256
const DATE_LENGTH = '2026-11-15'.length
/** A disk that does not answer must not keep the service from stopping. */
const LIMIT_MS = 1_000

export class AnchorFile {
  readonly path: string
  /** Told the code of a failure, once until a write succeeds again. */
  onFailure: (code: string) => void = () => undefined
  /** The number of the last row that was written, and whether a write is under way. */
  private written = 0
  private isWriting = false
  private hasFailed = false
  private readonly limitMs: number

  constructor(path: string, { limitMs = LIMIT_MS }: { readonly limitMs?: number } = {}) {
    this.path = path
    this.limitMs = limitMs
  }

  /** All anchors, oldest first. A line that was not written to its end is left out. */
  read(): readonly StoreAnchor[] {
    return textOfFile(this.path)
      .split('\n')
      .flatMap((line) => {
        try {
          return [readAnchor(line)]
        } catch {
          return []
        }
      })
  }

  /** Writes the head of a chain, unless it is written already. A failure is reported, and does not stop anything. */
  async write(ends: Ends): Promise<void> {
    if (this.isWriting || ends.head.seq === this.written) return
    this.isWriting = true
    const writing = writeLine(this.path, ends).finally(() => (this.isWriting = false))
    try {
      await withinLimit(writing, this.limitMs, 'the anchor file')
      this.written = ends.head.seq
      this.hasFailed = false
    } catch (error) {
      if (!this.hasFailed) this.onFailure((error as NodeJS.ErrnoException).code ?? 'unknown')
      this.hasFailed = true
    }
  }

  /** Puts the file aside, for a store whose loss was accepted. Returns the new name. */
  putAside(now: Date): string {
    const aside = `${this.path}.until-${now.toISOString().replaceAll(':', '')}`
    const { uid, gid } = statSync(this.path)
    renameSync(this.path, aside)
    writeFileSync(this.path, '', { mode: 0o644 })
    // Where root runs the command, the service must still be able to write.
    if (process.getuid?.() === 0) chownSync(this.path, uid, gid)
    return aside
  }
}

async function writeLine(path: string, ends: Ends): Promise<void> {
  const anchor = anchorOf(ends)
  const file = await open(path, 'r+').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return open(path, 'wx+', 0o644)
  })
  try {
    const { size } = await file.stat()
    const last = await lastLine(file, size)
    const isOfStore = last?.store === anchor.store
    // Another process has seen more.
    if (isOfStore && last.head >= anchor.head) return
    const isOfToday = isOfStore && last.at.slice(0, DATE_LENGTH) === anchor.at.slice(0, DATE_LENGTH)
    const line = `${JSON.stringify(anchor).padEnd(LINE_BYTES - 1)}\n`
    // A line that was not written to its end is ended first.
    const text = size === 0 || last !== undefined ? line : `\n${line}`
    await file.write(text, isOfToday ? size - LINE_BYTES : size)
  } finally {
    await file.close()
  }
}

/** The last line where it was written here, so that it can be written anew. */
async function lastLine(file: FileHandle, size: number): Promise<Required<Anchor> | undefined> {
  if (size < LINE_BYTES) return undefined
  const { buffer } = await file.read(Buffer.alloc(LINE_BYTES), 0, LINE_BYTES, size - LINE_BYTES)
  return contentOf({ content: buffer.toString('utf8') }) as Required<Anchor> | undefined
}

function textOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new StoreError(`the anchor file ${path} cannot be read (${code})`)
  }
}
