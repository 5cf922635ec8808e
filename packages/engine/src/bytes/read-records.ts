/**
 * Records by the byte reader, window by window. Records that it cannot answer are judged by the engine from their slots,
 * or by the reference from their bytes.
 */
import { withoutMark } from '../read/body.ts'
import { EngineError } from '../read/engine-error.ts'
import type { AnswerBuilder, BatchAnswer } from '../answer/answer-builder.ts'
import { duplicatesAmong } from '../read/repeated-keys.ts'
import * as layout from './layout.ts'
import type { ReaderModule } from './memory-image.ts'
import { type ByteReader, fillWindow, prepare } from './byte-reader.ts'

const OPEN_BRACKET = 0x5b
/** An array of objects is two levels deep. */
const LEAST_DEPTH = 2
const encoder = new TextEncoder()
const ARRAY_TAIL = encoder.encode(',"error_message":null},')
const LINES_TAIL = encoder.encode(',"error_message":null}\n')

/**
 * A whole request. If the structure of the body is in doubt, or if records share an idx, the answer is undefined, and the
 * reference takes all of it.
 */
export function answerArray(
  body: Uint8Array,
  reader: ByteReader,
  answer: AnswerBuilder,
): BatchAnswer | undefined {
  const { maxDepth, maxRecords } = answer.options
  const start = skipSpace(body, body.length - withoutMark(body).length)
  if (body[start] !== OPEN_BRACKET || maxDepth < LEAST_DEPTH) return undefined
  prepare(reader, answer.options, ARRAY_TAIL, answer.watched)
  const judge = (record: Uint8Array): void => answer.judgeBytes(record, answer.length)
  try {
    const { end, status } = readWindows(
      reader,
      reader.module.readArray,
      body,
      start + 1,
      answer,
      judge,
      maxRecords,
    )
    if (status !== layout.STATUS_END || skipSpace(body, end) < body.length) return undefined
  } catch (error) {
    // A record that makes the whole body wrong: the reference finds the error to report.
    if (error instanceof EngineError) return undefined
    throw error
  }
  const ambiguousIdxs = [...answer.ambiguousIdxs.values()].flat()
  if (answer.length > maxRecords || duplicatesAmong(answer.tools.idxs.view(), ambiguousIdxs).size > 0)
    return undefined
  return answer.finished()
}

/** Answers lines; returns how many bytes it has answered. It stops at a line that is larger than a window. */
export function readLinesFast(
  lines: Uint8Array,
  reader: ByteReader,
  answer: AnswerBuilder,
  judge: (line: Uint8Array, offset: number) => void,
): number {
  prepare(reader, answer.options, LINES_TAIL, answer.watched)
  return readWindows(reader, reader.module.readLines, lines, 0, answer, judge).end
}

function readWindows(
  reader: ByteReader,
  read: ReaderModule['readLines'],
  bytes: Uint8Array,
  start: number,
  answer: AnswerBuilder,
  judge: (record: Uint8Array, offset: number) => void,
  mostRecords = Infinity,
): { readonly end: number; readonly status: number } {
  let done = start
  let status: number = layout.STATUS_MORE
  while (status === layout.STATUS_MORE && done < bytes.length && answer.length <= mostRecords) {
    const length = fillWindow(reader, bytes, done)
    const end = reader.inputAt + length
    const isLast = done + length === bytes.length ? 1 : 0
    const shift = done - reader.inputAt
    let place = reader.inputAt
    do {
      status = read(place, end, isLast)
      place = reader.module.position.value
      collect(reader, answer, (from, to) => judge(bytes.subarray(from + shift, to + shift), from + shift))
    } while (status === layout.STATUS_FULL)
    // A record that is larger than the window, or that the body does not end.
    if (place === reader.inputAt) break
    done += place - reader.inputAt
  }
  return { end: done, status }
}

/** Takes over the answers of the reader, and judges the records that it left. */
function collect(reader: ByteReader, answer: AnswerBuilder, judge: (from: number, to: number) => void): void {
  const { text, idxs, risks } = answer.tools
  const count = reader.module.count.value
  let printed = 0
  let taken = 0
  const takeUpTo = (index: number, out: number): void => {
    text.addAll(reader.output.subarray(printed, out))
    idxs.addAll(reader.idxs.subarray(taken, index))
    risks.addAll(reader.risks.subarray(taken, index))
    answer.tally.addClean(index - taken)
    printed = out
    taken = index
  }
  for (let index = 0; index < count; index++) {
    const risk = reader.risks[index] as number
    if (risk >= 0) continue
    takeUpTo(index, (reader.outs[index] as number) - reader.outputAt)
    taken++
    if (risk === layout.RISK_JUDGED) answer.add(reader.judge.take())
    else judge(reader.starts[index] as number, reader.ends[index] as number)
  }
  takeUpTo(count, reader.module.written.value)
}

function skipSpace(body: Uint8Array, start: number): number {
  let place = start
  for (let byte = body[place]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;)
    byte = body[++place]
  return place
}
