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
 * `receiptOf` gets the position of a result. All answers that get receipts at a time take turns, so their number delays nobody.
 */
export async function addReceipts(
  answer: Uint8Array,
  risks: Int16Array,
  receiptOf: (position: number) => string,
  turns: Turns,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let copied = 0
  let position = 0
  for (const end of endsOfObjects(answer)) {
    if ((risks[position] ?? -1) >= 0) {
      parts.push(answer.subarray(copied, end), Buffer.from(`,"receipt":"${receiptOf(position)}"`))
      copied = end
    }
    position++
    if (position % STEP === 0) await turns.take(PASS_BYTES)
  }
  parts.push(answer.subarray(copied))
  return Buffer.concat(parts)
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
