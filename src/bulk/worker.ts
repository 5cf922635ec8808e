/** A thread of a run: a piece of the file in, its result rows out. */
import { workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { unpackScorers } from '../catalog/portable.ts'
import type { LinesAnswer } from '../engine/read/lines.ts'
import type { Answered } from '../workers/message.ts'
import { serveJobs } from '../workers/serve-jobs.ts'
import { BadFile } from '../tables/bad-file.ts'
import type { Chunk, TextChunk } from '../tables/chunk.ts'
import { allRows } from '../tables/csv-texts.ts'
import { utf8Fault } from '../tables/utf8-fault.ts'
import { jsonFault } from './json-fault.ts'
import { type Kept, printResults } from './print-results.ts'
import { readRowGroup } from '../tables/parquet.ts'
import { keyText } from './record-text.ts'
import { linesOfRows, printCsvCell, printTyped } from './rows.ts'
import { placeIn } from './split-json.ts'
import type { ChunkJob, ChunkResult, Task } from './task.ts'

const NEWLINE = 0x0a

const task = workerData as Task
const { lines: score } = unpackScorers(task.portable)(task.deployment)
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

serveJobs(async (given): Promise<Answered> => {
  try {
    const answer = await answerChunk(given as ChunkJob)
    const { output, errors, idxs, risks, chunk } = answer
    const bytes = chunk.kind === 'text' ? [chunk.bytes.buffer] : []
    const transfer = [output.buffer, errors.buffer, idxs.buffer, risks.buffer, ...bytes] as ArrayBuffer[]
    return { answer, transfer: [...new Set(transfer)] }
  } catch (error) {
    if (error instanceof BadFile) return { answer: { bad: error.message }, transfer: [] }
    throw error
  }
})

async function answerChunk({ chunk, duplicates }: ChunkJob): Promise<ChunkResult> {
  const { bytes, kept } = await linesOf(chunk)
  const { first } = chunk
  let answer = score.score(bytes, task.today, { first, duplicates })
  const repeated = positionsOf(answer.idxs, first)
  if (repeated.size > 0) answer = score.score(bytes, task.today, { first, duplicates: repeated })
  if (task.from === 'json' && answer.malformedAt !== undefined) {
    refuse(chunk as TextChunk, linesBefore(bytes, answer.malformedAt))
  }
  const { output, errors } = printAll(answer, kept, first === 0)
  return {
    output: task.gzip && output.length > 0 ? own(gzipSync(output)) : own(output),
    errors: own(errors),
    idxs: answer.idxs.slice(),
    risks: answer.risks.slice(),
    tally: answer.tally,
    chunk,
  }
}

function positionsOf(idxs: Float64Array, first: number): ReadonlySet<number> {
  const found = new Set<number>()
  if (task.repeated.size > 0) {
    idxs.forEach((idx, index) => {
      if (task.repeated.has(idx)) found.add(first + index)
    })
  }
  return found
}

async function linesOf(chunk: Chunk): Promise<{ readonly bytes: Uint8Array; readonly kept: Kept }> {
  const { table } = task
  if (chunk.kind === 'rows') {
    if (table === undefined) throw new Error('a table without its shape')
    const rows = await readRowGroup(chunk)
    const { text, kept } = linesOfRows(rows, chunk.first, table.shape, printTyped)
    return { bytes: encoder.encode(text), kept }
  }
  if (table !== undefined) {
    const { columns } = table.shape
    const rows = allRows(chunk.bytes, table.delimiter, chunk.line, columns.length)
    const { text, kept } = linesOfRows(rows, chunk.first, table.shape, printCsvCell)
    return { bytes: encoder.encode(text), kept }
  }
  if (task.rename.size === 0 && task.keep.length === 0 && !task.isNumbered) {
    return { bytes: chunk.bytes, kept: [] }
  }
  return keyedLines(chunk)
}

function keyedLines(chunk: TextChunk): { readonly bytes: Uint8Array; readonly kept: Kept } {
  const kept: (readonly (string | undefined)[])[] = []
  const lines: Uint8Array[] = []
  let { first } = chunk
  for (let start = 0; start < chunk.bytes.length;) {
    const newline = chunk.bytes.indexOf(0x0a, start)
    const end = newline < 0 ? chunk.bytes.length : newline
    const line = chunk.bytes.subarray(start, end)
    start = end + 1
    if (/^[ \t\r]*$/.test(lenient.decode(line))) continue
    first++
    const keyed = keyedLine(line, first)
    lines.push(keyed.bytes)
    kept.push(keyed.kept)
  }
  return { bytes: Buffer.concat(lines), kept: task.keep.length === 0 ? [] : kept }
}

function keyedLine(
  line: Uint8Array,
  number: number,
): { readonly bytes: Uint8Array; readonly kept: readonly (string | undefined)[] } {
  let text: string
  try {
    text = decoder.decode(line)
  } catch {
    // Not UTF-8: it goes on as it is, and the engine refuses it.
    return { bytes: Buffer.concat([line, Buffer.from('\n')]), kept: [] }
  }
  const keyed = keyText(text, task.rename, task.keep)
  const numbered = task.isNumbered ? keyed.text.replace(/^(\s*)\{(\s*)(\}?)/, numberer(number)) : keyed.text
  return { bytes: encoder.encode(`${numbered}\n`), kept: keyed.kept }
}

function numberer(number: number): (all: string, before: string, space: string, close: string) => string {
  return (_all, before, _space, close) => `${before}{"idx":${number}${close === '' ? ',' : '}'}`
}

/** Says where a JSON file is malformed: at the byte that is none of UTF-8, or at the character that cannot stand there. */
function refuse(chunk: TextChunk, element: number): never {
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
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < offset; at = bytes.indexOf(0x0a, at + 1)) count++
  return count
}

function printAll(
  answer: LinesAnswer,
  kept: Kept,
  isFirst: boolean,
): { readonly output: Uint8Array; readonly errors: Uint8Array } {
  const { to, keep, keepsText, errorsTo } = task
  if (!task.writes) return { output: new Uint8Array(0), errors: new Uint8Array(0) }
  const isPlain = to === 'ndjson' && keep.length === 0
  const wantsErrors = errorsTo !== undefined && answer.tally.problems.size > 0
  if (isPlain && !wantsErrors) return { output: answer.bytes, errors: new Uint8Array(0) }
  const lines = lenient.decode(answer.bytes).split('\n').slice(0, -1)
  const output = isPlain
    ? answer.bytes
    : encoder.encode(printResults(lines, kept, { keep, keepsText }, to, isFirst))
  if (!wantsErrors) return { output, errors: new Uint8Array(0) }
  const faulty = lines.flatMap((line, row) => (line.endsWith('"error_message":null}') ? [] : [row]))
  const errors = printResults(
    faulty.map((row) => lines[row] ?? ''),
    faulty.map((row) => kept[row] ?? []),
    { keep, keepsText: false },
    errorsTo,
    false,
  )
  return { output, errors: encoder.encode(errors) }
}

/** Only a buffer that holds nothing else may change hands. */
function own(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
