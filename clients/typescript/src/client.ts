/**
 * The TypeScript client: the calls of one deployment over `fetch`, with retries, batches cut to the limits of the service, and
 * streams that are read while they are sent. It has no dependency and runs wherever `fetch` does.
 */
import { type Limits, batchesOf, partsOf } from './batches.ts'
import {
  type JobBody,
  type JobDone,
  type JobOptions,
  type WaitOptions,
  deleteJob,
  downloadFile,
  submitJob,
  waitForJob,
} from './jobs.ts'
import { RiskServiceError, alarmIn, digestIn, feedDoubtIn, requestWithRetries } from './requests.ts'
import { readsWhileSending, streamResults } from './stream.ts'
import type {
  CallOptions,
  ClientOptions,
  Explained,
  OutcomeElement,
  OutcomeResult,
  Output,
  Plain,
  Result,
  ScoreOptions,
  Validity,
} from './types.ts'

export { DeploymentChangedError, RiskServiceError } from './requests.ts'
export {
  type JobBody,
  type JobDone,
  type JobFailed,
  JobFailedError,
  type JobOptions,
  type JobProgress,
  type WaitOptions,
} from './jobs.ts'
export type {
  CallOptions,
  ClientOptions,
  ErrorItem,
  Explained,
  Explanation,
  Notice,
  OutcomeElement,
  OutcomeResult,
  Output,
  PatientRecord,
  Problem,
  Result,
  RiskRange,
  ScaleState,
  ScoreOptions,
  Validity,
} from './types.ts'

const JOB_RETRIES = 4
const JOB_TIMEOUT_MS = 60_000
/** How many records a browser sends in one request of a stream. */
const PART_LENGTH = 1_000

export class RiskClient<O extends Output> {
  private readonly options: ClientOptions<O>
  private readonly address: string
  private limits: Limits | undefined
  private digest: string | undefined
  private alarm: string | undefined
  private doubt: string | undefined

  constructor(options: ClientOptions<O>) {
    this.options = options
    this.address = `${options.url.replace(/\/+$/, '')}/risk/api/do/v0`
  }

  /**
   * The digest of everything that decided the latest answer: model, scales, fields and settings. Keep it with the results. Pass it
   * as `ifMatch` to a new client to get further answers under the same terms only.
   */
  get deploymentDigest(): string | undefined {
    return this.digest
  }

  /**
   * While an alarm of calibration is open, the month by which outcomes no longer fitted the risks, as of the latest scored answer;
   * undefined while none is open. Show it beside every number: the risks may be too high or too low there.
   */
  get calibrationAlarm(): string | undefined {
    return this.alarm
  }

  /**
   * The fields that your records probably mean in another way than the service reads them, as the header `Risk-Feed-Doubt` of the latest
   * answer with records says it: `sex;doubt=codes, stayDays;doubt=period`; undefined without a doubt. Look at these fields before you use
   * the risks. A stream names them at the next call.
   */
  get feedDoubt(): string | undefined {
    return this.doubt
  }

  /** One result for each record, in the order of the records, however many there are. */
  score<R extends Plain<R>>(records: readonly R[], options?: ScoreOptions): Promise<readonly Result<O>[]> {
    return this.inBatches(scoringCall(options), records, options)
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
   * Sends what came true of earlier answers. Every request carries an `Idempotency-Key`, the request id, so that a retry is never
   * counted twice. Give a `requestId` of your own, such as the name of the month, if your program may send the same outcomes again.
   */
  sendOutcomes(
    outcomes: readonly OutcomeElement[],
    options?: CallOptions,
  ): Promise<readonly OutcomeResult[]> {
    return this.inBatches('/outcomes', outcomes, options)
  }

  /**
   * Results as they are ready, while records are still being sent. A stream is not retried. It throws when the service ends it
   * early, and what the source of the records throws. Leaving the loop aborts the request and closes the source. Withdraw all
   * results of an idx that is refused as a duplicate: only the later ones can be refused in a stream.
   *
   * Browsers cannot read an answer while they send. There, records are sent in requests of 1,000, which are retried. An idx that
   * comes again in a later request throws a RangeError.
   */
  stream<R extends Plain<R>>(
    records: Iterable<R> | AsyncIterable<R>,
    options: ScoreOptions = {},
  ): AsyncGenerator<Result<O>> {
    const { signal, requestId = randomId() } = options
    const call = scoringCall(options)
    if (!readsWhileSending()) return this.inParts(call, records, requestId, signal)
    const headers = this.headers('application/x-ndjson', requestId, true)
    return streamResults(this.address + call, records, {
      ...this.options,
      headers,
      signal,
      onAnswer: this.onAnswer,
    })
  }

  /**
   * Submits many records, or a file, as a job, where the service has jobs. Returns the address of the job: keep it, it also works after a
   * restart of your program. Records are sent as NDJSON. A submission that is repeated gives the same job.
   */
  submit<R extends Plain<R>>(given: readonly R[] | JobBody, options: JobOptions = {}): Promise<string> {
    return submitJob(this.service, given, options, randomId())
  }

  /** Waits until a job is done. Throws a JobFailedError where it failed. */
  wait(job: string, options: WaitOptions = {}): Promise<JobDone> {
    return waitForJob(this.service, job, options, randomId())
  }

  /** Fetches a file of a job by its `url`, as `wait` returns it. Read the body of the response as it comes, or write it to a file. */
  download(job: string, url: string, { signal }: Pick<CallOptions, 'signal'> = {}): Promise<Response> {
    return downloadFile(this.service, new URL(url, job).href, signal, randomId())
  }

  /** Ends a job where it is under way, and erases what the service has of it. Call it when the results are fetched. */
  deleteJob(job: string, { signal }: Pick<CallOptions, 'signal'> = {}): Promise<void> {
    return deleteJob(this.service, job, signal, randomId())
  }

  private get service(): Parameters<typeof submitJob>[0] {
    const { retries = JOB_RETRIES, timeoutMs = JOB_TIMEOUT_MS, fetch: own = fetch } = this.options
    const headers = (type: string, id: string, isScored: boolean): Readonly<Record<string, string>> =>
      this.headers(type, id, isScored)
    return { address: this.address, headers, retries, timeoutMs, fetch: own }
  }

  private async *inParts(
    call: string,
    records: Iterable<{ readonly idx: number }> | AsyncIterable<{ readonly idx: number }>,
    requestId: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Result<O>> {
    let number = 0
    for await (const part of partsOf(records, PART_LENGTH)) {
      number++
      const id = `${requestId}.${number}`
      const options = signal === undefined ? { requestId: id } : { requestId: id, signal }
      for (const result of await this.inBatches<Result<O>>(call, part, options)) {
        signal?.throwIfAborted()
        yield result
      }
    }
  }

  private async inBatches<T>(
    call: string,
    records: readonly { readonly idx: number }[],
    { signal, requestId = randomId() }: CallOptions = {},
  ): Promise<readonly T[]> {
    if (!Array.isArray(records)) throw new TypeError('Records are given as an array, also a single one.')
    const send = <A>(path: string, id: string, check: Check<A>, body?: string): Promise<A> => {
      const isOutcomes = path === '/outcomes'
      const own = this.headers('application/json', id, body !== undefined && !isOutcomes)
      const headers = isOutcomes ? { ...own, 'idempotency-key': id } : own
      const onAnswer = body === undefined || isOutcomes ? this.onOtherAnswer : this.onAnswer
      return requestWithRetries(this.address + path, {
        ...this.options,
        headers,
        body,
        check,
        signal,
        onAnswer,
      })
    }
    this.limits ??= await send('/model', randomId(), limitsIn)
    const results: T[] = new Array<T>(records.length)
    const batches = batchesOf(records, this.limits)
    for (const [number, { body, positions }] of batches.entries()) {
      const id = batches.length === 1 ? requestId : `${requestId}.${number + 1}`
      const answer = await send(call, id, listOf<T>(positions.length), body)
      positions.forEach((position, place) => {
        results[position] = answer[place] as T
      })
    }
    return results
  }

  /** Only an answer with records says whether an alarm is open, and what is in doubt. */
  private readonly onAnswer = (headers: Headers): void => {
    this.onOtherAnswer(headers)
    this.alarm = alarmIn(headers)
    this.doubt = feedDoubtIn(headers)
  }

  private readonly onOtherAnswer = (headers: Headers): void => {
    this.digest = digestIn(headers) ?? this.digest
  }

  private headers(type: string, requestId: string, isScored: boolean): Readonly<Record<string, string>> {
    const { key, ifMatch } = this.options
    const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'x-request-id': requestId }
    return isScored && ifMatch !== undefined ? { ...headers, 'if-match': tagOf(ifMatch) } : headers
  }
}

function scoringCall({ receipts }: ScoreOptions = {}): string {
  return receipts === true ? '?receipts=true' : ''
}

type Check<T> = (answer: unknown, response: Response) => T

function limitsIn(answer: unknown, response: Response): Limits {
  const { deployment } = answer as { readonly deployment?: { readonly limits?: Limits } }
  if (deployment?.limits === undefined) throw RiskServiceError.of(response, 'The answer is no model card.')
  return deployment.limits
}

/** Results belong to records by their place, so a list of another length cannot be used at all. */
function listOf<T>(length: number): Check<readonly T[]> {
  return (answer, response) => {
    if (Array.isArray(answer) && answer.length === length) return answer as readonly T[]
    const found = Array.isArray(answer) ? `${answer.length} results` : 'no list of results'
    throw RiskServiceError.of(response, `The answer has ${found} for ${length} records, so none is used.`)
  }
}

/** A digest as HTTP writes tags: the base64 text in quotes. */
function tagOf(digest: string): string {
  return `"${digest.replace(/^sha-256=:(.*):$/, '$1')}"`
}

/** `crypto.randomUUID` is missing on pages that were loaded without TLS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
