/** Jobs: a large body is sent once, waited for, and its results are fetched. Every step may be sent again without harm. */
import { RiskServiceError } from './requests.ts'
import type { Components } from './schema.ts'

type Schemas = Components['schemas']
export type JobProgress = Schemas['JobProgress']
export type JobDone = Schemas['JobDone']
export type JobFailed = Schemas['JobFailed']

/** A body that is not a list of records: the bytes of a file, and what they are. */
export interface JobBody {
  readonly body: string | Uint8Array | Blob
  readonly type: 'application/json' | 'application/x-ndjson' | 'text/csv' | 'application/vnd.apache.parquet'
}

export interface JobOptions {
  readonly signal?: AbortSignal
  /** The form of the results; NDJSON when absent. */
  readonly to?: 'ndjson' | 'csv' | 'parquet'
  /** A text that is new for each body, such as the name of the night: sent again, it gives the same job. Made when absent. */
  readonly idempotencyKey?: string
}

export interface WaitOptions {
  readonly signal?: AbortSignal
  /** Called with each answer about a job that is under way: for a progress bar. */
  readonly onProgress?: (progress: JobProgress) => void
}

/** The job failed: nothing of it was answered. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError'
  readonly answer: JobFailed

  constructor(answer: JobFailed) {
    super(`${answer.code}: ${answer.reason}`)
    this.answer = answer
  }
}

interface Service {
  /** Of the scoring call. */
  readonly address: string
  readonly headers: (type: string, id: string, isScored: boolean) => Readonly<Record<string, string>>
  readonly retries: number
  readonly timeoutMs: number
  readonly fetch: typeof fetch
}

type RequestBody = NonNullable<RequestInit['body']>

interface Step {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: RequestBody
  readonly signal: AbortSignal | undefined
  /** Statuses that the caller handles itself. */
  readonly accepts: readonly number[]
  /** Bodies of any size take their time. */
  readonly timeoutMs?: number
}

const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504])
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 60_000

/** Returns the address of the job. */
export async function submitJob(
  service: Service,
  given: JobBody | readonly object[],
  { signal, to = 'ndjson', idempotencyKey }: JobOptions,
  id: string,
): Promise<string> {
  const isBody = 'body' in given
  // Newer libraries of types tell shared memory apart, which nobody sends.
  const body = isBody
    ? (given.body as RequestBody)
    : given.map((record) => `${JSON.stringify(record)}\n`).join('')
  const type = isBody ? given.type : 'application/x-ndjson'
  const headers = { ...service.headers(type, id, true), 'idempotency-key': idempotencyKey ?? id }
  const address = `${service.address}/jobs?to=${to}`
  const response = await step(service, { method: 'POST', address, headers, body, signal, accepts: [202] })
  const location = response.headers.get('content-location')
  if (location === null) throw RiskServiceError.of(response, 'The answer does not say where the job is.')
  await response.body?.cancel()
  return new URL(location, address).href
}

/** Waits until the job has ended. Throws a JobFailedError where it failed. */
export async function waitForJob(
  service: Service,
  job: string,
  { signal, onProgress }: WaitOptions,
  id: string,
): Promise<JobDone> {
  const headers = service.headers('application/json', id, false)
  for (;;) {
    const { timeoutMs } = service
    const get = { method: 'GET', address: job, headers, signal, accepts: [200, 202], timeoutMs } as const
    const response = await step(service, get)
    const answer = (await response.json()) as JobProgress | JobDone | JobFailed
    if (answer.state === 'done') return answer
    if (answer.state === 'failed') throw new JobFailedError(answer)
    onProgress?.(answer)
    await pause(secondsIn(response) * 1_000, signal)
  }
}

/** A file of the job: its body can be read as it comes. */
export function downloadFile(
  service: Service,
  address: string,
  signal: AbortSignal | undefined,
  id: string,
): Promise<Response> {
  const headers = service.headers('application/json', id, false)
  return step(service, { method: 'GET', address, headers, signal, accepts: [200] })
}

/** A job that is gone already is deleted too: the first answer may have been lost. */
export async function deleteJob(
  service: Service,
  job: string,
  signal: AbortSignal | undefined,
  id: string,
): Promise<void> {
  const headers = service.headers('application/json', id, false)
  const response = await step(service, {
    method: 'DELETE',
    address: job,
    headers,
    signal,
    accepts: [202, 404],
  })
  await response.body?.cancel()
}

async function step(
  service: Service,
  { address, accepts, signal, timeoutMs, ...init }: Step,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= service.retries
    let waitMs = FIRST_WAIT_MS * 2 ** attempt
    try {
      const limits = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)]
      const ends = limits.filter((each) => each !== undefined)
      const response = await service.fetch(address, {
        ...init,
        ...(ends.length === 0 ? {} : { signal: AbortSignal.any(ends) }),
      })
      if (accepts.includes(response.status)) return response
      if (!RETRIED.has(response.status) || isLast) throw await RiskServiceError.from(response)
      waitMs = Math.max(waitMs, secondsIn(response) * 1_000)
      await response.body?.cancel()
    } catch (error) {
      if (error instanceof RiskServiceError || isLast || signal?.aborted === true) throw error
    }
    await pause(Math.min(waitMs, LONGEST_WAIT_MS), signal)
  }
}

/** What Retry-After asks for. */
function secondsIn({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 1)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0.1), LONGEST_WAIT_MS / 1_000) : 1
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted === true) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}
