/**
 * Records by the byte reader, window by window. Records that it cannot answer are judged by the engine from their slots,
 * or by the reference from their bytes.
 */
import { AppError } from '../../errors.ts'
import type { AnswerBuilder, BatchAnswer } from '../answer-builder.ts'
import { duplicatesAmong } from '../read/repeated-keys.ts'
import * as at from './layout.ts'
import type { ReaderModule } from './memory-image.ts'
import { type Machine, fillWindow, prepare } from './machine.ts'

const OPEN_BRACKET = 0x5b
/** An array of objects is two levels deep. */
const LEAST_DEPTH = 2
const NONE_CLAIMED: ReadonlySet<number> = new Set()
const encoder = new TextEncoder()
const ARRAY_TAIL = encoder.encode(',"error_message":null},')
const LINES_TAIL = encoder.encode(',"error_message":null}\n')

/**
 * A whole request. If the structure of the body is in doubt, or if records share an idx, the answer is undefined, and the
 * reference takes all of it.
 */
export function answerArray(
  body: Uint8Array,
  machine: Machine,
  answer: AnswerBuilder,
): BatchAnswer | undefined {
  const { maxDepth, maxRecords } = answer.options
  const start = skipSpace(body, 0)
  if (body[start] !== OPEN_BRACKET || maxDepth < LEAST_DEPTH) return undefined
  prepare(machine, answer.options, ARRAY_TAIL)
  const judge = (record: Uint8Array): void => answer.judgeBytes(record, answer.length)
  try {
    const { end, status } = readWindows(
      machine,
      machine.reader.readArray,
      body,
      start + 1,
      answer,
      judge,
      maxRecords,
    )
    if (status !== at.STATUS_END || skipSpace(body, end) < body.length) return undefined
  } catch (error) {
    // A record that makes the whole body wrong: the reference finds the error to report.
    if (error instanceof AppError) return undefined
    throw error
  }
  const claimed = answer.claimed.size === 0 ? NONE_CLAIMED : new Set([...answer.claimed.values()].flat())
  if (answer.length > maxRecords || duplicatesAmong(answer.tools.idxs.view(), claimed).size > 0)
    return undefined
  return answer.finished()
}

/** Answers lines; returns how many bytes it has answered. It stops at a line that is larger than a window. */
export function readLinesFast(
  lines: Uint8Array,
  machine: Machine,
  answer: AnswerBuilder,
  judge: (line: Uint8Array, offset: number) => void,
): number {
  prepare(machine, answer.options, LINES_TAIL)
  return readWindows(machine, machine.reader.readLines, lines, 0, answer, judge).end
}

function readWindows(
  machine: Machine,
  read: ReaderModule['readLines'],
  bytes: Uint8Array,
  start: number,
  answer: AnswerBuilder,
  judge: (record: Uint8Array, offset: number) => void,
  mostRecords = Infinity,
): { readonly end: number; readonly status: number } {
  let done = start
  let status: number = at.STATUS_MORE
  while (status === at.STATUS_MORE && done < bytes.length && answer.length <= mostRecords) {
    const length = fillWindow(machine, bytes, done)
    const end = machine.inputAt + length
    const isLast = done + length === bytes.length ? 1 : 0
    const shift = done - machine.inputAt
    let place = machine.inputAt
    do {
      status = read(place, end, isLast)
      place = machine.reader.position.value
      collect(machine, answer, (from, to) => judge(bytes.subarray(from + shift, to + shift), from + shift))
    } while (status === at.STATUS_FULL)
    // A record that is larger than the window, or that the body does not end.
    if (place === machine.inputAt) break
    done += place - machine.inputAt
  }
  return { end: done, status }
}

/** Takes over the answers of the reader, and judges the records that it left. */
function collect(machine: Machine, answer: AnswerBuilder, judge: (from: number, to: number) => void): void {
  const { text, idxs, risks } = answer.tools
  const count = machine.reader.count.value
  let printed = 0
  let taken = 0
  const takeUpTo = (index: number, out: number): void => {
    text.addAll(machine.output.subarray(printed, out))
    idxs.addAll(machine.idxs.subarray(taken, index))
    risks.addAll(machine.risks.subarray(taken, index))
    answer.tally.addClean(index - taken)
    printed = out
    taken = index
  }
  for (let index = 0; index < count; index++) {
    const risk = machine.risks[index] as number
    if (risk >= 0) continue
    takeUpTo(index, (machine.outs[index] as number) - machine.outputAt)
    taken++
    if (risk === at.RISK_JUDGED) answer.add(machine.judge.take())
    else judge(machine.starts[index] as number, machine.ends[index] as number)
  }
  takeUpTo(count, machine.reader.written.value)
}

function skipSpace(body: Uint8Array, start: number): number {
  let place = start
  for (let byte = body[place]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;)
    byte = body[++place]
  return place
}
