/** One request whose results are read while its records are sent. */
import { RiskServiceError, forwardAbort, refusePage } from './requests.ts'
import type { Components } from './schema.ts'

interface StreamOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
  /** Gets the headers of the answer. */
  readonly onAnswer: (headers: Headers) => void
  readonly fetch?: typeof fetch
}

/** Lines are sent in pieces of about this length unless the client must wait for the source. */
const PIECE_LENGTH = 65_536

/** Node, Deno and Bun do. A browser sends the whole body first, and the service stops reading while nobody reads its results. */
export function readsWhileSending(): boolean {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } }
  return process?.versions?.node !== undefined && !('document' in globalThis)
}

export async function* streamResults<T extends object>(
  address: string,
  records: Iterable<unknown> | AsyncIterable<unknown>,
  { headers, signal, onAnswer, fetch: send = fetch }: StreamOptions,
): AsyncGenerator<T> {
  const isAsync = Symbol.asyncIterator in records
  const source = isAsync ? records[Symbol.asyncIterator]() : records[Symbol.iterator]()
  const ended = new AbortController()
  const release = forwardAbort(signal, ended)
  const sent: Sent = { records: 0, isWhole: false }
  let results = 0
  let response: Response | undefined
  try {
    const request: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      headers,
      body: linesOf(source, isAsync ? 0 : PIECE_LENGTH, ended, sent),
      duplex: 'half',
      signal: ended.signal,
    }
    response = await send(address, request)
    if (!response.ok || response.body === null) throw await RiskServiceError.from(response)
    refusePage(response)
    onAnswer(response.headers)
    let rest = ''
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const result = resultOf(line) as T
        results++
        yield result
      }
    }
    // Every result ends with a line feed. A proxy may end the answer as if it were whole.
    if (rest !== '' || !sent.isWhole || results < sent.records) throw cut(response, results)
  } catch (error) {
    // If the source has failed, its error is more specific than the request's.
    if (ended.signal.aborted) throw ended.signal.reason
    throw response === undefined || error instanceof RiskServiceError ? error : cut(response, results)
  } finally {
    release()
    ended.abort()
    // Not awaited: a generator that waits for its next record ends only after that.
    void Promise.resolve(source.return?.()).catch(() => undefined)
  }
}

interface Sent {
  records: number
  isWhole: boolean
}

function cut(response: Response, results: number): RiskServiceError {
  return RiskServiceError.of(response, `The stream was cut off after ${results} results.`)
}

function resultOf(line: string): object {
  const value = JSON.parse(line) as object | Components['schemas']['Problem']
  if ('code' in value) throw new RiskServiceError(value)
  return value
}

function linesOf(
  source: Iterator<unknown> | AsyncIterator<unknown>,
  pieceLength: number,
  ended: AbortController,
  sent: Sent,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(stream) {
      try {
        let piece = ''
        let isDone = false
        do {
          const next = await source.next()
          isDone = next.done === true
          sent.isWhole = isDone
          if (isDone) break
          piece += `${JSON.stringify(next.value)}\n`
          sent.records++
        } while (piece.length < pieceLength)
        if (piece !== '') stream.enqueue(encoder.encode(piece))
        if (isDone) stream.close()
      } catch (error) {
        ended.abort(error)
        throw error
      }
    },
  })
}
