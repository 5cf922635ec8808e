/** Scores a chunk of lines. It runs in the threads of a run, and in the process itself for small files. */
import { isUtf8 } from 'node:buffer'
import type { PortableDeployments } from '@patient-risk/catalog'
import { jsonIn, findJsonFault } from 'patient-risk-engine/read'
import { FileFeed, type Observed, type RecordCollector } from '@patient-risk/monitor'
import type { FeedNotice, LinesAnswer, LineCall } from 'patient-risk-engine'
import { BadFile } from '../../tables/bad-file.ts'
import type { ScoreRun } from '../run.ts'
import type { DaysRead } from '../summary.ts'
import type { ColumnOptions } from '../tables/table-source.ts'
import { daysIn } from './days-read.ts'
import { type Chunk, NEWLINE, countLines, linesIn, placeAfter } from '../../tables/split-lines.ts'

/** What a thread is given once. */
export interface Task
  extends Pick<ColumnOptions, 'keep' | 'isNumbered'>, Pick<ScoreRun, 'parts' | 'source' | 'words'> {
  readonly portable: PortableDeployments
  readonly deployment: string
  readonly today: number
  /** Whether the lines are the elements of a JSON array: one that is not JSON refuses the file. */
  readonly isArray: boolean
  /** Their names to ours. */
  readonly rename: ReadonlyMap<string, string>
  /** What the whole input leaves in doubt. */
  readonly feed: readonly FeedNotice[]
  /** See `dateEnding`. */
  readonly dateEnding: string | undefined
}

export interface ChunkJob {
  readonly chunk: Chunk
  /** Positions of records whose idx another record has too, as far as that is known. */
  readonly duplicates: ReadonlySet<number>
}

export interface ChunkResult extends Pick<LinesAnswer, 'idxs' | 'ambiguousIdxs' | 'risks' | 'tally'> {
  /** The results, a line each. */
  readonly output: Uint8Array
  readonly days: DaysRead
  /** What was taken of its records. Of a chunk that is scored a second time it was taken before. */
  readonly observed: Observed | undefined
  /** The chunk itself, given back. */
  readonly chunk: Chunk
}

export type ChunkAnswer = ChunkResult | { readonly bad: string }

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

export function scoreChunk(
  task: Task,
  score: LineCall,
  collector: RecordCollector,
  { chunk, duplicates }: ChunkJob,
): ChunkAnswer {
  const isPlain = task.rename.size === 0 && task.keep.length === 0 && !task.isNumbered
  const { bytes, kept } = isPlain ? { bytes: chunk.bytes, kept: [] } : renamedLines(task, chunk)
  const watch = duplicates.size === 0 ? collector : undefined
  const place = { first: chunk.first, duplicates }
  const sample = FileFeed.sample(chunk.first)
  const answer = score(bytes, task.today, place, undefined, { watch, sample, feed: task.feed })
  const observed = watch?.taken()
  if (task.isArray && answer.malformedAt !== undefined)
    return { bad: faultOf(chunk, countLines(bytes.subarray(0, answer.malformedAt)).lines) }
  const { idxs, ambiguousIdxs, risks, tally } = answer
  const days = daysIn(bytes, answer.bytes, task.dateEnding)
  const output =
    task.keep.length === 0 && task.source === undefined ? answer.bytes : withMembers(answer.bytes, task, kept)
  // Only a buffer that holds nothing else may be transferred.
  const isOwn = output.byteLength === output.buffer.byteLength
  const owned = isOwn ? output : new Uint8Array(output)
  return { output: owned, idxs, ambiguousIdxs, risks, tally, days, observed, chunk }
}

/** The lines with our names and numbers, and the kept members that each result gets. */
function renamedLines(
  { rename, keep, isNumbered }: Task,
  chunk: Chunk,
): { readonly bytes: Uint8Array; readonly kept: readonly string[] } {
  const kept: string[] = []
  const lines: Uint8Array[] = []
  for (const [line] of linesIn(chunk)) {
    const keyed = renameKeys(decoder.decode(line), rename, keep)
    const text = isNumbered ? numbered(keyed.text, chunk.first + kept.length + 1) : keyed.text
    // A line that is not UTF-8 stays as it is, and the engine refuses it.
    const isText = isUtf8(line)
    lines.push(isText ? encoder.encode(text) : line, encoder.encode('\n'))
    const values = isText ? keyed.kept : []
    kept.push(keep.map((name, place) => `,${JSON.stringify(name)}:${values[place] ?? 'null'}`).join(''))
  }
  return { bytes: Buffer.concat(lines), kept }
}

/**
 * Renames or takes out the keys of a record in its own text, without parsing, so that no value changes on the way. Text that is
 * not an object, or not JSON, stays as it is or as broken as before, and the engine refuses it. `kept` has the JSON text of each
 * key that is kept; undefined where the record has none, and for all keys if it is not JSON.
 */
export function renameKeys(
  record: string,
  rename: ReadonlyMap<string, string>,
  keep: readonly string[],
): { readonly text: string; readonly kept: readonly (string | undefined)[] } {
  const kept = new Array<string | undefined>(keep.length)
  if (keep.length > 0 && jsonIn(record) === undefined) return renameKeys(record, rename, [])
  if (!/^[ \t\r]*\{/.test(record)) return { text: record, kept }
  let text = ''
  let copied = 0
  let depth = 0
  let name: unknown
  /** Where the value of the present key starts; 0 where a key is expected. */
  let valueStart = 0
  for (let at = 0; at < record.length; at++) {
    const char = record[at]
    const isOwn = depth === 1
    if (char === '"') {
      const end = endOfString(record, at)
      if (isOwn && valueStart === 0) {
        name = jsonIn(record.slice(at, end))
        const newName = rename.get(String(name))
        if (newName !== undefined) {
          text += record.slice(copied, at) + JSON.stringify(newName)
          copied = end
        }
      }
      at = end - 1
    } else if (isOwn && char === ':') valueStart = at + 1
    else if (isOwn && (char === ',' || char === '}')) {
      const place = keep.indexOf(String(name))
      if (place >= 0) kept[place] = record.slice(valueStart, at).trim()
      valueStart = 0
    }
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
  }
  return { text: text + record.slice(copied), kept }
}

/** After the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function numbered(text: string, number: number): string {
  return text.replace(/^(\s*)\{\s*(\}?)/, (_all, before: string, close: string) => {
    return `${before}{"idx":${number}${close === '' ? ',' : '}'}`
  })
}

/** Says where a JSON file is malformed: at the first byte that is not UTF-8, or the first character that is not allowed there. */
function faultOf({ bytes, place }: Chunk, element: number): string {
  let offset = 0
  for (let before = 0; before < element; before++) offset = bytes.indexOf(NEWLINE, offset) + 1
  const end = bytes.indexOf(NEWLINE, offset)
  const line = bytes.subarray(offset, end < 0 ? undefined : end)
  const text = decoder.decode(line)
  const wrongByte = utf8Fault(line)
  const wrongCharacter = Buffer.byteLength(text.slice(0, findJsonFault(text)?.at ?? 0))
  const before = bytes.subarray(0, offset + (wrongByte < 0 ? wrongCharacter : wrongByte))
  const problem = 'is not well-formed JSON in UTF-8, or is nested too deeply'
  return new BadFile(problem, placeAfter(place, before)).message
}

/** The offset of the first invalid UTF-8 sequence; −1 if all bytes are valid. */
export function utf8Fault(bytes: Uint8Array): number {
  if (isUtf8(bytes)) return -1
  // Bytes that are not UTF-8 are decoded as a replacement character, and so differ when they are encoded again.
  const again = encoder.encode(decoder.decode(bytes))
  let at = 0
  while (at < bytes.length && bytes[at] === again[at]) at++
  // Half a character may start as the replacement character does.
  while (at < again.length && ((again[at] as number) & 0xc0) === 0x80) at--
  return at
}

/** The results with where they come from, and with the kept members of each. */
function withMembers(results: Uint8Array, { source }: Task, kept: readonly string[]): Uint8Array {
  const lines = decoder.decode(results).split('\n').slice(0, -1)
  const same = source === undefined ? '' : `,${JSON.stringify(source).slice(1, -1)}`
  return encoder.encode(lines.map((line, row) => `${line.slice(0, -1)}${same}${kept[row] ?? ''}}\n`).join(''))
}
