/** Adds a receipt to each result of an answer that has a risk, as its last key. All other bytes stay as they are. */
import { PASS_BYTES, type Turns } from '../connection/turns.ts'

/** Results that are sealed in one go: some 0.5 ms, as long as the bytes of a pass take. Others are answered in between. */
const STEP = 64
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * `answer` holds results as JSON objects, in an array or one a line. `risks` has one number for each of them, negative where it has none.
 * `receiptOf` gets the position of a result; its texts have one length. All answers that get receipts at a time take turns, so their
 * number delays nobody.
 */
export async function addReceipts(
  answer: Uint8Array,
  risks: Int16Array,
  receiptOf: (position: number) => string,
  turns: Turns,
): Promise<Uint8Array> {
  const writer = new Inserter(
    answer,
    risks.reduce((count, units) => count + Number(units >= 0), 0),
  )
  let position = 0
  for (const end of endsOfObjects(answer)) {
    if ((risks[position] ?? -1) >= 0) writer.insert(end, `,"receipt":"${receiptOf(position)}"`)
    position++
    if (position % STEP === 0) await turns.take(PASS_BYTES)
  }
  return writer.end()
}

/**
 * Copies bytes, with texts of one length in between. It writes into memory that is taken once: a part for every text would be objects by
 * the ten thousand that outlive a collection, which stops every call for 30 ms.
 */
class Inserter {
  private readonly from: Uint8Array
  private readonly count: number
  private to: Buffer | undefined
  private copied = 0
  private length = 0

  constructor(from: Uint8Array, count: number) {
    this.from = from
    this.count = count
  }

  /** `text` is ASCII. The room that the first one takes is kept for each of them. */
  insert(at: number, text: string): void {
    this.to ??= Buffer.allocUnsafeSlow(this.from.length + this.count * text.length)
    this.copyUntil(this.to, at)
    if (this.length + text.length > this.to.length) throw new Error('the texts differ in length')
    this.length += this.to.write(text, this.length, 'latin1')
  }

  end(): Uint8Array {
    if (this.to === undefined) return this.from
    this.copyUntil(this.to, this.from.length)
    return this.to.subarray(0, this.length)
  }

  private copyUntil(to: Buffer, end: number): void {
    to.set(this.from.subarray(this.copied, end), this.length)
    this.length += end - this.copied
    this.copied = end
  }
}

/** Where the brackets are that close the outermost objects. */
function* endsOfObjects(text: Uint8Array): Generator<number> {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (isInText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isInText = false
    } else if (byte === QUOTE) isInText = true
    else if (byte === OPEN) depth++
    else if (byte === CLOSE && --depth === 0) yield at
  }
}
