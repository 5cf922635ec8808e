/**
 * The lines of a stream or file with their place in it: a line that is too long gets a result as a record that is no
 * object, one whose idx another line has too is refused, and the lines after them are answered like any other.
 */
import type { Assessor, Outcome } from '../assess.ts'
import type { BatchOptions, Print } from '../batch.ts'
import { type LinesAnswer, NEWLINE, isBlank, judgeLine, unitsOf } from './lines.ts'
import { Tally } from '../tally.ts'

/** The position of a piece in the whole stream or file. */
export interface LinesPlace {
  /** Position of the first record of this piece in the whole run, from 0. Blank lines take no position. */
  readonly first: number
  /** Positions, in the whole run, of records whose idx another record of the run has too. */
  readonly duplicates: ReadonlySet<number>
}

export interface LineTools {
  readonly assessor: Assessor
  readonly print: Print
  readonly options: BatchOptions
  readonly maxLineBytes: number
  /** Answers lines that are not too long, and of which nothing is known beyond them. */
  readonly answer: (chunk: Uint8Array, first: number) => LinesAnswer
}

const encoder = new TextEncoder()

/** Answers whole lines. The last line needs no line feed. */
export function answerEveryLine(chunk: Uint8Array, place: LinesPlace, tools: LineTools): LinesAnswer {
  const collector = new LineCollector(tools, place)
  for (let offset = 0; offset < chunk.length;) {
    const rest = offset === 0 ? chunk : chunk.subarray(offset)
    const whole = place.duplicates.size > 0 ? 0 : lengthUpToLongLine(rest, tools.maxLineBytes)
    if (whole > 0) collector.addAnswer(tools.answer(rest.subarray(0, whole), collector.position), offset)
    offset += whole > 0 ? whole : collector.addLine(rest, offset)
  }
  return collector.answer()
}

/** How many bytes from the start are lines that are not too long. */
function lengthUpToLongLine(rest: Uint8Array, maxLineBytes: number): number {
  let at = 0
  while (rest.length - at > maxLineBytes) {
    const newline = rest.lastIndexOf(NEWLINE, at + maxLineBytes)
    if (newline < at) return at
    at = newline + 1
  }
  return rest.length
}

class LineCollector {
  private readonly tools: LineTools
  private readonly place: LinesPlace
  private readonly pieces: LinesAnswer[] = []
  private readonly tally = new Tally()
  private readonly claimed = new Map<number, readonly number[]>()
  private malformedAt: number | undefined

  constructor(tools: LineTools, place: LinesPlace) {
    this.tools = tools
    this.place = place
  }

  /** The position of the next record. */
  get position(): number {
    return this.place.first + this.tally.records
  }

  /** Adds the answer to lines that start at `offset`. */
  addAnswer(answer: LinesAnswer, offset: number): void {
    for (const [place, idxs] of answer.claimed) this.claimed.set(this.tally.records + place, idxs)
    this.pieces.push(answer)
    this.tally.merge(answer.tally)
    if (answer.malformedAt !== undefined) this.malformedAt ??= offset + answer.malformedAt
  }

  /** Answers the first line alone, and says how many bytes it takes. */
  addLine(rest: Uint8Array, offset: number): number {
    const newline = rest.indexOf(NEWLINE)
    const line = newline < 0 ? rest : rest.subarray(0, newline)
    if (!isBlank(line)) this.addOutcome(this.judge(line, offset), offset)
    return line.length + 1
  }

  answer(): LinesAnswer {
    const [only] = this.pieces
    const malformed = this.malformedAt === undefined ? {} : { malformedAt: this.malformedAt }
    if (only !== undefined && this.pieces.length === 1) return { ...only, ...malformed }
    return {
      bytes: joined(Uint8Array, this.pieces, (piece) => piece.bytes),
      idxs: joined(Float64Array, this.pieces, (piece) => piece.idxs),
      risks: joined(Int16Array, this.pieces, (piece) => piece.risks),
      claimed: this.claimed,
      tally: this.tally,
      ...malformed,
    }
  }

  private judge(line: Uint8Array, offset: number): Outcome {
    const { assessor, options, maxLineBytes } = this.tools
    const { position } = this
    if (line.length > maxLineBytes) return assessor.assess(undefined, position, options)
    const onMalformed = (): void => void (this.malformedAt ??= offset)
    return judgeLine(line, position, assessor, options, onMalformed, this.place.duplicates.has(position))
  }

  private addOutcome(outcome: Outcome, offset: number): void {
    const tally = new Tally()
    tally.add(outcome)
    const answer = {
      bytes: encoder.encode(`${this.tools.print(outcome)}\n`),
      idxs: Float64Array.of(outcome.idx ?? Number.NaN),
      claimed: new Map(outcome.claimed.length === 0 ? [] : [[0, outcome.claimed]]),
      risks: Int16Array.of(unitsOf(outcome)),
      tally,
    }
    this.addAnswer(answer, offset)
  }
}

interface Column<T> {
  readonly length: number
  set(part: T, at: number): void
}

function joined<T extends Column<T>>(
  kind: new (length: number) => T,
  pieces: readonly LinesAnswer[],
  columnOf: (piece: LinesAnswer) => T,
): T {
  const whole = new kind(pieces.reduce((length, piece) => length + columnOf(piece).length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(columnOf(piece), at)
    at += columnOf(piece).length
  }
  return whole
}
