/**
 * The file in which the service keeps the newest head of the chain, outside the store: one line a day, and the line of today is written
 * anew at most once a second. A store that was deleted, or replaced by an older copy, does not contain that head.
 */
import { readFileSync, renameSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { type Anchor, type StoreAnchor, readAnchor } from './anchor.ts'
import type { ChainEnds } from './audit-row.ts'
import { StoreError } from '../../errors.ts'
import { withinLimit } from '../../workers/rpc.ts'

const EVERY_MS = 1_000
/** Of every line, so that a line is written anew in its place by one write. The longest anchor has some 190 bytes. */
const LINE_BYTES = 256
const DATE_LENGTH = '2026-11-15'.length
const CLOSE_LIMIT_MS = 1_000

type Ends = Pick<ChainEnds, 'storeId' | 'start' | 'head'>

export class AnchorFile {
  readonly path: string
  /** Told the code of a failure, once until a write succeeds again. */
  onFailure: (code: string) => void = () => undefined
  private noted: Ends | undefined
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()
  private lastWrite = -Infinity
  private hasFailed = false

  constructor(path: string) {
    this.path = path
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

  note(ends: Ends): void {
    this.noted = ends
    const wait = this.lastWrite + EVERY_MS - performance.now()
    this.timer ??= setTimeout(() => this.write(), Math.max(0, wait)).unref()
  }

  /** Writes what is noted. */
  async close(): Promise<void> {
    clearTimeout(this.timer)
    this.write()
    // A disk that does not answer must not keep the service from stopping.
    await withinLimit(this.writing, CLOSE_LIMIT_MS, 'the anchor file').catch(() => undefined)
  }

  /** Puts the file aside, for a store whose loss was accepted. Returns the new name. */
  putAside(now: Date): string {
    const aside = `${this.path}.until-${now.toISOString().replaceAll(':', '')}`
    renameSync(this.path, aside)
    return aside
  }

  private write(): void {
    const { noted } = this
    this.timer = undefined
    this.noted = undefined
    if (noted === undefined) return
    this.lastWrite = performance.now()
    this.writing = this.writing.then(async () => {
      try {
        await writeLine(this.path, noted)
        this.hasFailed = false
      } catch (error) {
        if (!this.hasFailed) this.onFailure((error as NodeJS.ErrnoException).code ?? 'unknown')
        this.hasFailed = true
      }
    })
  }
}

async function writeLine(path: string, { storeId, start, head }: Ends): Promise<void> {
  const at = new Date().toISOString()
  const anchor: Anchor = { at, head: head.seq, rows: head.seq - start.seq, digest: head.hash, store: storeId }
  const file = await open(path, 'r+').catch(() => open(path, 'wx+', 0o644))
  try {
    const { size } = await file.stat()
    const last = await lastLine(file, size)
    const isOfToday = last?.store === storeId && last.at.slice(0, DATE_LENGTH) === at.slice(0, DATE_LENGTH)
    // Another process has seen more.
    if (isOfToday && last.head >= head.seq) return
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
  try {
    return JSON.parse(buffer.toString('utf8')) as Required<Anchor>
  } catch {
    return undefined
  }
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
