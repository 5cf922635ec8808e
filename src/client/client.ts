/**
 * The TypeScript client: the calls of one deployment over `fetch`, with retries, batches cut to the limits of the service, and
 * streams that are read while they are sent. It imports nothing but types, so it runs wherever `fetch` does.
 */
import { type Limits, batchesOf } from './batches.ts'
import { postWithRetries, RiskServiceError } from './post.ts'
import type { Components } from './schema.ts'

export { RiskServiceError } from './post.ts'

type Schemas = Components['schemas']
export type ErrorItem = Schemas['ErrorItem']
export type Explanation = Schemas['Explanation']
export type Problem = Schemas['Problem']
export type Validity = Schemas['Validity']

/** A record: its idx and the fields of the deployment. Null and absent are the same. */
export interface PatientRecord {
  readonly idx: number
  readonly [field: string]: number | string | boolean | null
}

/** `number` or `yes-no`, as the deployment answers. It decides the type of `risk`. */
export type Output = 'number' | 'yes-no'
export type Result<O extends Output> = O extends 'number' ? Schemas['ResultNumber'] : Schemas['ResultYesNo']
export type Explained<O extends Output> = O extends 'number'
  ? Schemas['ExplainedNumber']
  : Schemas['ExplainedYesNo']

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
  private limits: Promise<Limits> | undefined

  constructor(options: ClientOptions<O>) {
    this.options = options
    this.address = `${options.url.replace(/\/+$/, '')}/risk/api/do/v0`
  }

  /** One result for each record, in the order of the records, however many there are. */
  score(records: readonly PatientRecord[], options: CallOptions = {}): Promise<readonly Result<O>[]> {
    return this.inBatches('', records, options)
  }

  validate(records: readonly PatientRecord[], options: CallOptions = {}): Promise<readonly Validity[]> {
    return this.inBatches('/validate', records, options)
  }

  explain(records: readonly PatientRecord[], options: CallOptions = {}): Promise<readonly Explained<O>[]> {
    return this.inBatches('/explain', records, options)
  }

  /**
   * Results as they are ready, while records are still being sent. A stream is not retried. It throws when the service ends it
   * early. Withdraw all results of an idx that is refused as a duplicate: only the later ones can be refused in a stream.
   */
  async *stream(
    records: Iterable<PatientRecord> | AsyncIterable<PatientRecord>,
    options: CallOptions = {},
  ): AsyncGenerator<Result<O>> {
    const send = this.options.fetch ?? fetch
    const request: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      headers: this.headers('application/x-ndjson', options.requestId ?? crypto.randomUUID()),
      body: ReadableStream.from(linesOf(records)).pipeThrough(new TextEncoderStream()),
      duplex: 'half',
      ...(options.signal === undefined ? {} : { signal: options.signal }),
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
  }

  private async inBatches<T>(
    call: string,
    records: readonly PatientRecord[],
    { signal, requestId }: CallOptions,
  ): Promise<readonly T[]> {
    const limits = await this.readLimits(signal)
    const results: T[] = new Array<T>(records.length)
    const batches = batchesOf(records, limits)
    for (const [number, { body, positions }] of batches.entries()) {
      const id = requestId ?? crypto.randomUUID()
      const answer = (await postWithRetries(this.address + call, {
        ...this.options,
        headers: this.headers('application/json', batches.length === 1 ? id : `${id}.${number + 1}`),
        body,
        signal,
      })) as readonly T[]
      positions.forEach((position, place) => {
        results[position] = answer[place] as T
      })
    }
    return results
  }

  /** The limits of the deployment, asked for once. A failed question is asked again by the next call. */
  private readLimits(signal: AbortSignal | undefined): Promise<Limits> {
    this.limits ??= postWithRetries(`${this.address}/model`, {
      ...this.options,
      headers: this.headers('application/json', crypto.randomUUID()),
      signal,
    }).then(
      (model) => (model as { readonly deployment: { readonly limits: Limits } }).deployment.limits,
      (error: unknown) => {
        this.limits = undefined
        throw error
      },
    )
    return this.limits
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

/** Lines are sent in pieces of about this size where the source does not make the client wait. */
const PIECE_BYTES = 65_536

async function* linesOf(
  records: Iterable<PatientRecord> | AsyncIterable<PatientRecord>,
): AsyncGenerator<string> {
  const pieceBytes = Symbol.asyncIterator in records ? 0 : PIECE_BYTES
  let piece = ''
  for await (const record of records) {
    piece += `${JSON.stringify(record)}\n`
    if (piece.length < pieceBytes) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
