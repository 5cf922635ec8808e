/** Rows of a file that holds one JSON object a line. */
import { statSync } from 'node:fs'
import { jsonIn } from '../../engine/read/body.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { decodeParts } from '../../tables/decode-text.ts'
import { openInput } from '../../tables/open-input.ts'
import { placesOf } from './places.ts'
import type { Cell, OnProgress, Row, Visit, Wanted } from './row.ts'

export async function readNdjson(
  path: string,
  { columns: wanted }: Wanted,
  visit: Visit,
  onProgress: OnProgress,
): Promise<void> {
  const { size } = statSync(path)
  const { bytes, readBytes } = openInput(path)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const row = new ObjectRow(wanted)
  let open = ''
  const take = (lines: readonly string[]): void => {
    for (const text of lines) {
      row.line++
      if (text.trim() === '') continue
      row.read(parse(row.line, text))
      visit(row)
    }
  }
  for await (const part of decodeParts(bytes, 'utf-8')) {
    const lines = (open + decoded(decoder, part, row.line)).split('\n')
    open = lines.pop() ?? ''
    take(lines)
    onProgress(readBytes(), size)
  }
  open += decoded(decoder, undefined, row.line)
  if (open !== '') take([open])
  if (row.line === 0) throw new BadFile('is empty')
  placesOf(path, wanted, [...row.seen])
}

class ObjectRow implements Row {
  line = 0
  /** Columns that some row has. */
  readonly seen = new Set<string>()
  private readonly wanted: readonly string[]
  private object: Readonly<Record<string, unknown>> = {}

  constructor(wanted: readonly string[]) {
    this.wanted = wanted
  }

  read(object: Readonly<Record<string, unknown>>): void {
    this.object = object
    if (this.seen.size === this.wanted.length) return
    for (const column of this.wanted) if (Object.hasOwn(object, column)) this.seen.add(column)
  }

  cell(place: number): Cell {
    const column = this.wanted[place] as string
    if (!Object.hasOwn(this.object, column)) return undefined
    const value = this.object[column]
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell)
  }

  number(place: number): number {
    const value = this.cell(place)
    return typeof value === 'number' ? value : Number.NaN
  }
}

function decoded(
  decoder: InstanceType<typeof TextDecoder>,
  part: Uint8Array | undefined,
  line: number,
): string {
  try {
    return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true })
  } catch {
    throw new BadFile('is not valid UTF-8 from here on', { line: line + 1 })
  }
}

function parse(line: number, text: string): Readonly<Record<string, unknown>> {
  const value = jsonIn(text)
  if (value === undefined) throw new BadFile('is not well-formed JSON', { line })
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw new BadFile('is not a JSON object', { line })
}
