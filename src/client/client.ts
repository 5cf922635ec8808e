/**
 * The TypeScript client: the calls of one deployment over `fetch`, with retries, batches cut to the limits of the service, and
 * streams that are read while they are sent. It imports nothing but types, so it runs wherever `fetch` does.
 */
import { type Limits, RiskServiceError, batchesOf, requestWithRetries } from './requests.ts'
import type { Components } from './schema.ts'

export { RiskServiceError } from './requests.ts'

type Schemas = Components['schemas']
export type ErrorItem = Schemas['ErrorItem']
export type Explanation = Schemas['Explanation']
export type Problem = Schemas['Problem']
export type Validity = Schemas['Validity']

type FieldValue = number | string | boolean | null | undefined

/** A record: its idx and the fields of the deployment. Null and absent are the same. */
export interface PatientRecord {
  readonly idx: number
  readonly [field: string]: FieldValue
}

/** A type of record with an idx and plain values. An interface has no index signature, so it is not a PatientRecord. */
type Plain<R> = { readonly idx: number } & { readonly [Field in keyof R]: FieldValue }

/** `number` or `yes-no`, as the deployment answers. It decides the type of `risk`. */
export type Output = 'number' | 'yes-no'
export type Result<O extends Output> = O extends 'number' ? Schemas['ResultNumber'] : Schemas['ResultYesNo']
export type Explained<O extends Output> = Result<O> & { readonly explanation: Explanation | null }

export interface ClientOptions<O extends Output> {
  /** Where the service is, with the base path of the deployment: `https://risk.example.org/flag`. */
  readonly url: string
  readonly key: string
  readonly output: O
  /** How often a request is sent again after 429, 503 or a lost connection; 4 when absent. */
  readonly retries?: number
  /** For each attempt; 60,000 when absent. Streams have no time limit of the client's. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** At most 128 printable ASCII characters. Retries of one request reuse it. Made by the client when absent. */
  readonly requestId?: string
}

export class RiskClient<O extends Output> {
  private readonly options: ClientOptions<O>
  private readonly address: string
  private limits: Limits | undefined

  constructor(options: ClientOptions<O>) {
    this.options = options
    this.address = `${options.url.replace(/\/+$/, '')}/risk/api/do/v0`
  }

  /** One result for each record, in the order of the records, however many there are. */
  score<R extends Plain<R>>(records: readonly R[], options?: CallOptions): Promise<readonly Result<O>[]> {
    return this.inBatches('', records, options)
  }

  validate<R extends Plain<R>>(records: readonly R[], options?: CallOptions): Promise<readonly Validity[]> {
    return this.inBatches('/validate', records, options)
  }

  explain<R extends Plain<R>>(
    records: readonly R[],
    options?: CallOptions,
  ): Promise<readonly Explained<O>[]> {
    return this.inBatches('/explain', records, options)
  }

  /**
   * Results as they are ready, while records are still being sent. A stream is not retried. It throws when the service ends it
   * early, and what the source of the records throws. Leaving the loop aborts the request and closes the source. Withdraw all
   * results of an idx that is refused as a duplicate: only the later ones can be refused in a stream.
   */
  async *stream<R extends Plain<R>>(
    records: Iterable<R> | AsyncIterable<R>,
    { signal, requestId }: CallOptions = {},
  ): AsyncGenerator<Result<O>> {
    const { fetch: send = fetch } = this.options
    const isAsync = Symbol.asyncIterator in records
    const source = isAsync ? records[Symbol.asyncIterator]() : records[Symbol.iterator]()
    const ended = new AbortController()
    try {
      const request: RequestInit & { readonly duplex: 'half' } = {
        method: 'POST',
        headers: this.headers('application/x-ndjson', requestId ?? crypto.randomUUID()),
        body: linesOf(source, isAsync ? 0 : PIECE_LENGTH, ended),
        duplex: 'half',
        signal: signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]),
      }
      const response = await send(this.address, request)
      if (!response.ok || response.body === null) throw await RiskServiceError.from(response)
      let rest = ''
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) yield resultOf<O>(line)
      }
      if (rest !== '') yield resultOf<O>(rest)
    } catch (error) {
      // If the source has failed, its error is more specific than the request's.
      throw ended.signal.aborted ? ended.signal.reason : error
    } finally {
      ended.abort()
      // Not awaited: a generator that waits for its next record ends only after that.
      void Promise.resolve(source.return?.()).catch(() => undefined)
    }
  }

  private async inBatches<T>(
    call: string,
    records: readonly { readonly idx: number }[],
    { signal, requestId = crypto.randomUUID() }: CallOptions = {},
  ): Promise<readonly T[]> {
    const send = (path: string, id: string, body?: Uint8Array<ArrayBuffer>): Promise<unknown> => {
      const headers = this.headers('application/json', id)
      return requestWithRetries(this.address + path, { ...this.options, headers, body, signal })
    }
    if (this.limits === undefined) {
      const model = (await send('/model', crypto.randomUUID())) as { deployment: { limits: Limits } }
      this.limits = model.deployment.limits
    }
    const results: T[] = new Array<T>(records.length)
    const batches = batchesOf(records, this.limits)
    for (const [number, { body, positions }] of batches.entries()) {
      const id = batches.length === 1 ? requestId : `${requestId}.${number + 1}`
      const answer = (await send(call, id, body)) as readonly T[]
      positions.forEach((position, place) => {
        results[position] = answer[place] as T
      })
    }
    return results
  }

  private headers(type: string, requestId: string): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.options.key}`, 'content-type': type, 'x-request-id': requestId }
  }
}

function resultOf<O extends Output>(line: string): Result<O> {
  const value = JSON.parse(line) as Result<O> | Problem
  if ('code' in value) throw new RiskServiceError(value)
  return value
}

/** Lines are sent in pieces of about this length unless the client must wait for the source. */
const PIECE_LENGTH = 65_536

function linesOf(
  source: Iterator<unknown> | AsyncIterator<unknown>,
  pieceLength: number,
  ended: AbortController,
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
          if (!isDone) piece += `${JSON.stringify(next.value)}\n`
        } while (!isDone && piece.length < pieceLength)
        if (piece !== '') stream.enqueue(encoder.encode(piece))
        if (isDone) stream.close()
      } catch (error) {
        ended.abort(error)
        throw error
      }
    },
  })
}
