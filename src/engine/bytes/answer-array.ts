/**
 * A whole request by the byte reader. Records that it cannot answer are judged by the engine from their slots, or by the
 * reference from their bytes. If the structure of the body is in doubt the answer is undefined, and the reference takes all of it.
 */
import { AppError } from '../../errors.ts'
import type { Assessor, Outcome } from '../assess.ts'
import { BUDGET_STEP, type BatchAnswer, type BatchOptions, type Print } from '../batch.ts'
import { duplicatesAmong } from '../read/duplicates.ts'
import { judgeSlice } from '../judge/judge-slice.ts'
import { Tally } from '../tally.ts'
import { AnswerWriter } from './answer-writer.ts'
import * as at from './layout.ts'
import { type Machine, fillWindow, prepare } from './machine.ts'
import { RecordList } from './record-list.ts'

const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
/** Each record lies in the array of the body. */
const IN_ARRAY = 1
/** An array of objects is two levels deep. */
const LEAST_DEPTH = 2
const TAIL = new TextEncoder().encode(',"error_message":null},')

export interface ReaderTools {
  readonly machine: Machine
  readonly assessor: Assessor
  readonly print: Print
  /** Kept from request to request: allocating them again would cost more than reading a single record. */
  readonly records: RecordList
  readonly writer: AnswerWriter
}

export function answerArray(
  body: Uint8Array,
  tools: ReaderTools,
  options: BatchOptions,
): BatchAnswer | undefined {
  const start = skipSpace(body, 0)
  if (body[start] !== OPEN_BRACKET || options.maxDepth < LEAST_DEPTH) return undefined
  const batch = new Batch(body, tools, options)
  try {
    return batch.read(start + 1) ? batch.answer() : undefined
  } catch (error) {
    // A record that makes the whole body wrong: the reference finds the error to report.
    if (error instanceof AppError) return undefined
    throw error
  }
}

class Batch {
  private readonly body: Uint8Array
  private readonly tools: ReaderTools
  private readonly options: BatchOptions
  private readonly records: RecordList
  private readonly writer: AnswerWriter
  private readonly tally = new Tally()
  /** Records that were not answered by the reader alone. */
  private judged = 0
  private readonly claimed = new Set<number>()

  constructor(body: Uint8Array, tools: ReaderTools, options: BatchOptions) {
    this.body = body
    this.tools = tools
    this.options = options
    this.records = tools.records
    this.writer = tools.writer
    this.records.clear()
    this.writer.clear()
  }

  /** Reads window after window. False when the structure is in doubt. */
  read(start: number): boolean {
    const { machine } = this.tools
    const { header } = machine
    const { body } = this
    prepare(machine, this.options, TAIL)
    this.writer.addByte(OPEN_BRACKET)
    let offset = start
    for (;;) {
      const length = fillWindow(machine, body, offset)
      const end = machine.inputAt + length
      let status = machine.readArray(machine.inputAt, end)
      this.collect(offset)
      while (status === at.STATUS_FULL) {
        status = machine.readArray(header[at.H_POSITION / 4] as number, end)
        this.collect(offset)
      }
      const used = (header[at.H_POSITION / 4] as number) - machine.inputAt
      if (this.records.length > this.options.maxRecords) return false
      if (status === at.STATUS_END) return skipSpace(body, offset + used) === body.length
      // Nothing more to come, or a record that is larger than the window.
      if (status === at.STATUS_DOUBT || offset + length === body.length || used === 0) return false
      offset += used
    }
  }

  answer(): BatchAnswer {
    const { records, tally } = this
    const isUnique = records.isAscending && this.claimed.size === 0
    const duplicates = isUnique ? undefined : duplicatesAmong(records.idxs(), this.claimed)
    const writer = duplicates === undefined || duplicates.size === 0 ? this.writer : this.rewrite(duplicates)
    if (records.length === 0) writer.addByte(CLOSE_BRACKET)
    else writer.replace(writer.length - 1, CLOSE_BRACKET)
    return { bytes: writer.finished(), tally }
  }

  /** Takes over the answers of the reader, and judges the records that it left. */
  private collect(offset: number): void {
    const { machine } = this.tools
    const { records, writer } = this
    const shift = offset - machine.inputAt
    const count = machine.header[at.H_COUNT / 4] as number
    let printed = 0
    let left = 0
    for (let index = 0; index < count; index++) {
      const start = (machine.starts[index] as number) + shift
      const end = (machine.ends[index] as number) + shift
      const out = (machine.outs[index] as number) - machine.outputAt
      const risk = machine.risks[index] as number
      if (risk < 0) {
        left++
        writer.add(machine.output.subarray(printed, out))
        printed = out
        const place = writer.length
        const outcome =
          risk === at.RISK_JUDGED ? machine.judge.take() : this.judge(start, end, records.length, false)
        this.write(writer, outcome)
        for (const idx of outcome.claimed) this.claimed.add(idx)
        records.add(start, end, place, outcome.idx ?? Number.NaN, true)
      } else records.add(start, end, writer.length + out - printed, machine.idxs[index] as number, false)
    }
    writer.add(machine.output.subarray(printed, machine.header[at.H_WRITTEN / 4]))
    this.tally.addClean(count - left)
  }

  /** Judges one record by the reference. */
  private judge(start: number, end: number, position: number, isDuplicate: boolean): Outcome {
    const slice = this.body.subarray(start, end)
    return judgeSlice(slice, IN_ARRAY, position, this.tools.assessor, this.options, isDuplicate)
  }

  private write(writer: AnswerWriter, outcome: Outcome): void {
    writer.addText(this.tools.print(outcome))
    writer.addByte(COMMA)
    this.tally.add(outcome)
    if ((++this.judged & BUDGET_STEP) === 0) this.options.budget?.step(writer.length)
  }

  /** The same answer, with the records that share an idx judged again. */
  private rewrite(duplicates: ReadonlySet<number>): AnswerWriter {
    const { records, writer, tally } = this
    const next = new AnswerWriter(writer.length * 2)
    let copied = 0
    for (const position of [...duplicates].sort((a, b) => a - b)) {
      const record = records.at(position)
      next.add(writer.part(copied, record.answer))
      copied = position + 1 < records.length ? records.at(position + 1).answer : writer.length
      // The first outcome is taken back, as in the reference.
      if (record.isLeft) tally.remove(this.judge(record.start, record.end, position, false))
      else tally.addClean(-1)
      this.write(next, this.judge(record.start, record.end, position, true))
    }
    next.add(writer.part(copied, writer.length))
    return next
  }
}

function skipSpace(body: Uint8Array, start: number): number {
  let place = start
  for (let byte = body[place]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;)
    byte = body[++place]
  return place
}
