/** Scores a piece of a JSON or NDJSON file. It runs in the threads of a run, and in the process itself for small files. */
import { gzipSync } from 'node:zlib'
import type { LinesAnswer } from '../../engine/read/lines.ts'
import type { LineCall } from '../../engine/scorer.ts'
import { BadFile } from '../../tables/bad-file.ts'
import type { Chunk } from './chunk.ts'
import { jsonFault } from '../../engine/read/json-fault.ts'
import { keyText } from './record-text.ts'
import { placeIn } from './split-json.ts'
import type { ChunkAnswer, ChunkJob, ChunkResult, Task } from './task.ts'
import { utf8Fault } from './utf8-fault.ts'

const NEWLINE = 0x0a
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

/** For each record the JSON texts of its kept keys. */
type Kept = readonly (readonly (string | undefined)[])[]

export function makeChunkScorer(task: Task, score: LineCall): (job: ChunkJob) => ChunkAnswer {
  return (job) => {
    try {
      return answerChunk(task, score, job)
    } catch (error) {
      if (error instanceof BadFile) return { bad: error.message }
      throw error
    }
  }
}

function answerChunk(task: Task, score: LineCall, { chunk, duplicates }: ChunkJob): ChunkResult {
  const isPlain = task.rename.size === 0 && task.keep.length === 0 && !task.isNumbered
  const { bytes, kept } = isPlain ? { bytes: chunk.bytes, kept: [] } : keyedLines(task, chunk)
  const { first } = chunk
  let answer = score(bytes, task.today, { first, duplicates })
  const repeated = positionsOf(task.repeated, answer.idxs, first)
  if (repeated.size > 0) answer = score(bytes, task.today, { first, duplicates: repeated })
  if (task.from === 'json' && answer.malformedAt !== undefined) {
    refuse(chunk, linesBefore(bytes, answer.malformedAt))
  }
  const { output, errors } = task.writes
    ? printAll(task, answer, kept, first === 0)
    : { output: nothing(), errors: nothing() }
  return {
    output: task.gzip && output.length > 0 ? own(gzipSync(output)) : own(output),
    errors: own(errors),
    idxs: answer.idxs.slice(),
    claimed: answer.claimed,
    risks: answer.risks.slice(),
    tally: answer.tally,
    chunk,
  }
}

function positionsOf(repeated: ReadonlySet<number>, idxs: Float64Array, first: number): ReadonlySet<number> {
  const found = new Set<number>()
  if (repeated.size > 0) {
    idxs.forEach((idx, index) => {
      if (repeated.has(idx)) found.add(first + index)
    })
  }
  return found
}

function keyedLines(task: Task, chunk: Chunk): { readonly bytes: Uint8Array; readonly kept: Kept } {
  const kept: (readonly (string | undefined)[])[] = []
  const lines: Uint8Array[] = []
  let { first } = chunk
  for (let start = 0; start < chunk.bytes.length;) {
    const newline = chunk.bytes.indexOf(NEWLINE, start)
    const end = newline < 0 ? chunk.bytes.length : newline
    const line = chunk.bytes.subarray(start, end)
    start = end + 1
    if (/^[ \t\r]*$/.test(lenient.decode(line))) continue
    first++
    const keyed = keyedLine(task, line, first)
    lines.push(keyed.bytes)
    kept.push(keyed.kept)
  }
  return { bytes: Buffer.concat(lines), kept: task.keep.length === 0 ? [] : kept }
}

function keyedLine(
  task: Task,
  line: Uint8Array,
  number: number,
): { readonly bytes: Uint8Array; readonly kept: readonly (string | undefined)[] } {
  let text: string
  try {
    text = decoder.decode(line)
  } catch {
    // A line that is not UTF-8 stays as it is, and the engine refuses it.
    return { bytes: Buffer.concat([line, Buffer.from('\n')]), kept: [] }
  }
  const keyed = keyText(text, task.rename, task.keep)
  const numbered = task.isNumbered ? keyed.text.replace(/^(\s*)\{(\s*)(\}?)/, numberer(number)) : keyed.text
  return { bytes: encoder.encode(`${numbered}\n`), kept: keyed.kept }
}

function numberer(number: number): (all: string, before: string, space: string, close: string) => string {
  return (_all, before, _space, close) => `${before}{"idx":${number}${close === '' ? ',' : '}'}`
}

/** Says where a JSON file is malformed: at the first byte that is not UTF-8, or the first character that cannot stand there. */
function refuse(chunk: Chunk, element: number): never {
  let offset = 0
  for (let before = 0; before < element; before++) offset = chunk.bytes.indexOf(NEWLINE, offset) + 1
  const end = chunk.bytes.indexOf(NEWLINE, offset)
  const line = chunk.bytes.subarray(offset, end < 0 ? undefined : end)
  const text = lenient.decode(line)
  const wrongByte = utf8Fault(line)
  const wrongCharacter = Buffer.byteLength(text.slice(0, Math.max(0, jsonFault(text))))
  throw new BadFile(
    'is not well-formed JSON in UTF-8, or is nested too deeply',
    placeIn(chunk, offset + (wrongByte < 0 ? wrongCharacter : wrongByte)),
  )
}

function linesBefore(bytes: Uint8Array, offset: number): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0 && at < offset; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

function printAll(
  { to, keep, wantsErrors }: Task,
  answer: LinesAnswer,
  kept: Kept,
  isFirst: boolean,
): Pick<ChunkResult, 'output' | 'errors'> {
  const isPlain = to === 'ndjson' && keep.length === 0
  const hasErrors = wantsErrors && answer.tally.problems.size > 0
  if (isPlain && !hasErrors) return { output: answer.bytes, errors: nothing() }
  const results = lenient.decode(answer.bytes).split('\n').slice(0, -1)
  const lines =
    keep.length === 0 ? results : results.map((line, row) => withKept(line, kept[row] ?? [], keep))
  const output = isPlain
    ? answer.bytes
    : encoder.encode(to === 'ndjson' ? linesText(lines) : elementsText(lines, isFirst))
  if (!hasErrors) return { output, errors: nothing() }
  const faulty = lines.filter((_line, row) => results[row]?.endsWith('"error_message":null}') !== true)
  return { output, errors: encoder.encode(linesText(faulty)) }
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/** The elements of an array that is closed behind the last piece. */
function elementsText(lines: readonly string[], isFirst: boolean): string {
  return lines.length === 0 ? '' : `${isFirst ? '[\n' : ',\n'}${lines.join(',\n')}`
}

function withKept(line: string, kept: readonly (string | undefined)[], keep: readonly string[]): string {
  const further = keep.map((name, place) => `,${JSON.stringify(name)}:${kept[place] ?? 'null'}`)
  return `${line.slice(0, -1)}${further.join('')}}`
}

/** A new one each time: it is transferred, and can be transferred only once. */
function nothing(): Uint8Array {
  return new Uint8Array(0)
}

/** Only a buffer that holds nothing else may be transferred. */
function own(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
