/** Rows of a file that holds one JSON object a line. */
import { statSync } from 'node:fs'
import { jsonIn } from '../../engine/read/body.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { decodeParts } from '../../tables/decode-text.ts'
import { openInput } from '../../tables/open-input.ts'
import { type Cell, type TableReader, placesOf } from './row.ts'

export const readNdjson: TableReader = async (path, { columns: wanted, numbers }, visit, onProgress) => {
  const { size } = statSync(path)
  const { bytes, readBytes } = openInput(path)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  /** Columns that some row has. */
  const seen = new Set<string>()
  let object: Readonly<Record<string, unknown>> = {}
  const row = {
    line: 0,
    cell(place: number): Cell {
      const column = wanted[place] as string
      const value = Object.hasOwn(object, column) ? object[column] : undefined
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell)
    },
    number(place: number): number {
      const value = row.cell(place)
      const isText = numbers.get(wanted[place] as string) !== undefined
      return typeof value === 'number' && !isText ? value : Number.NaN
    },
  }
  let open = ''
  const take = (lines: readonly string[]): void => {
    for (const text of lines) {
      row.line++
      if (text.trim() === '') continue
      object = objectIn(row.line, text)
      if (seen.size < wanted.length) {
        for (const column of wanted) if (Object.hasOwn(object, column)) seen.add(column)
      }
      visit(row)
    }
  }
  const decode = (part?: Uint8Array): string => {
    try {
      return decoder.decode(part, { stream: part !== undefined })
    } catch {
      throw new BadFile('is not valid UTF-8 from here on', { line: row.line + 1 })
    }
  }
  for await (const part of decodeParts(bytes, 'utf-8')) {
    const lines = (open + decode(part)).split('\n')
    open = lines.pop() ?? ''
    take(lines)
    onProgress(readBytes(), size)
  }
  open += decode()
  if (open !== '') take([open])
  if (row.line === 0) throw new BadFile('is empty')
  placesOf(path, wanted, [...seen])
}

function objectIn(line: number, text: string): Readonly<Record<string, unknown>> {
  const value = jsonIn(text)
  if (value === undefined) throw new BadFile('is not well-formed JSON', { line })
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw new BadFile('is not a JSON object', { line })
}
