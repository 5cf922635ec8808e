/** Text in any encoding that spreadsheets write, as UTF-8. */

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** The encoding that a byte order mark names. */
export function markedEncoding(head: Uint8Array): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 'utf-8' : undefined
}

/** The parts as UTF-8 without a byte order mark. What is UTF-8 already is passed on as it is, and not checked. */
export async function* decodeParts(parts: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    let isStart = true
    for await (const part of parts) {
      yield isStart && markedEncoding(part) === 'utf-8' ? part.subarray(3) : part
      isStart = false
    }
    return
  }
  const decoder = new TextDecoder(encoding)
  for await (const part of parts) yield Buffer.from(decoder.decode(part, { stream: true }))
  yield Buffer.from(decoder.decode())
}
