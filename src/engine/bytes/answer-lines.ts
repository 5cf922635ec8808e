/** One record per line, by the byte reader. Records that it cannot answer are judged from their slots, or by the reference from their bytes. */
import type { Outcome } from '../assess.ts'
import type { BatchOptions } from '../batch.ts'
import { type LinesAnswer, NEWLINE, answerLines, judgeLine, unitsOf } from '../read/lines.ts'
import { Tally } from '../tally.ts'
import type { AnswerWriter } from './answer-writer.ts'
import type { ReaderTools } from './answer-array.ts'
import * as at from './layout.ts'
import { fillWindow, prepare } from './machine.ts'

const TAIL = new TextEncoder().encode(',"error_message":null}\n')

export function answerLinesFast(
  chunk: Uint8Array,
  first: number,
  tools: ReaderTools,
  options: BatchOptions,
): LinesAnswer {
  const lines = new Lines(chunk, first, tools, options)
  // A line that is larger than the window is rare enough to leave the chunk to the reference.
  return lines.read() ? lines.answer() : answerLines(chunk, first, tools.assessor, tools.print, options)
}

class Lines {
  private readonly chunk: Uint8Array
  private readonly first: number
  private readonly tools: ReaderTools
  private readonly options: BatchOptions
  private readonly writer: AnswerWriter
  private readonly tally = new Tally()
  private readonly idxs = new NumberColumn<Float64Array>(Float64Array)
  private readonly risks = new NumberColumn<Int16Array>(Int16Array)
  private readonly claimed = new Map<number, readonly number[]>()
  private malformedAt: number | undefined

  constructor(chunk: Uint8Array, first: number, tools: ReaderTools, options: BatchOptions) {
    this.chunk = chunk
    this.first = first
    this.tools = tools
    this.options = options
    this.writer = tools.writer
    this.writer.clear()
  }

  /** Reads window after window. False when a line does not fit into one. */
  read(): boolean {
    const { machine } = this.tools
    const { header } = machine
    const { chunk } = this
    prepare(machine, this.options, TAIL)
    let offset = 0
    while (offset < chunk.length) {
      const length = fillWindow(machine, chunk, offset)
      const end = machine.inputAt + length
      const isLast = offset + length === chunk.length ? 1 : 0
      let place = machine.inputAt
      let status: number = at.STATUS_FULL
      while (status === at.STATUS_FULL) {
        status = machine.readLines(place, end, isLast)
        place = header[at.H_POSITION / 4] as number
        this.collect(offset)
      }
      const used = place - machine.inputAt
      if (used === 0) return false
      offset += used
    }
    return true
  }

  answer(): LinesAnswer {
    return {
      bytes: this.writer.finished(),
      tally: this.tally,
      idxs: this.idxs.finished(),
      claimed: this.claimed,
      risks: this.risks.finished(),
      ...(this.malformedAt === undefined ? {} : { malformedAt: this.malformedAt }),
    }
  }

  /** Takes over the answers of the reader, and judges the records that it left. */
  private collect(offset: number): void {
    const { machine } = this.tools
    const { writer, idxs, risks } = this
    const shift = offset - machine.inputAt
    const count = machine.header[at.H_COUNT / 4] as number
    const noted = machine.risks.subarray(0, count)
    if (!noted.includes(at.RISK_LEFT) && !noted.includes(at.RISK_JUDGED)) {
      idxs.addAll(machine.idxs.subarray(0, count))
      risks.addAll(noted)
      writer.add(machine.output.subarray(0, machine.header[at.H_WRITTEN / 4]))
      this.tally.addClean(count)
      return
    }
    let printed = 0
    let clean = 0
    for (let index = 0; index < count; index++) {
      const risk = machine.risks[index] as number
      if (risk >= 0) {
        clean++
        idxs.add(machine.idxs[index] as number)
        risks.add(risk)
        continue
      }
      const out = (machine.outs[index] as number) - machine.outputAt
      writer.add(machine.output.subarray(printed, out))
      printed = out
      const [start, end] = [
        (machine.starts[index] as number) + shift,
        (machine.ends[index] as number) + shift,
      ]
      this.write(risk === at.RISK_JUDGED ? machine.judge.take() : this.judge(start, end))
    }
    writer.add(machine.output.subarray(printed, machine.header[at.H_WRITTEN / 4]))
    this.tally.addClean(clean)
  }

  /** Judges one line by the reference. */
  private judge(start: number, end: number): Outcome {
    const { tools, options, chunk } = this
    const position = this.first + this.idxs.length
    const onMalformed = (): void => void (this.malformedAt ??= start)
    return judgeLine(chunk.subarray(start, end), position, tools.assessor, options, onMalformed)
  }

  private write(outcome: Outcome): void {
    this.writer.addText(this.tools.print(outcome))
    this.writer.addByte(NEWLINE)
    if (outcome.claimed.length > 0) this.claimed.set(this.idxs.length, outcome.claimed)
    this.idxs.add(outcome.idx ?? Number.NaN)
    this.risks.add(unitsOf(outcome))
    this.tally.add(outcome)
  }
}

interface Numbers {
  readonly length: number
  [index: number]: number
  set(numbers: this, place?: number): void
  subarray(from: number, to: number): this
}

const FIRST_CAPACITY = 256

/** Numbers of one type in a buffer that grows. */
class NumberColumn<T extends Numbers> {
  length = 0
  private numbers: T
  private readonly kind: new (length: number) => T

  constructor(kind: new (length: number) => T) {
    this.kind = kind
    this.numbers = new kind(FIRST_CAPACITY)
  }

  add(number: number): void {
    this.reserve(1)
    this.numbers[this.length++] = number
  }

  addAll(numbers: T): void {
    this.reserve(numbers.length)
    this.numbers.set(numbers, this.length)
    this.length += numbers.length
  }

  finished(): T {
    return this.numbers.subarray(0, this.length)
  }

  private reserve(more: number): void {
    if (this.length + more <= this.numbers.length) return
    const larger = new this.kind((this.length + more) * 2)
    larger.set(this.numbers)
    this.numbers = larger
  }
}
