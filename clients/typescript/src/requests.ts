/** One request with retries. They send the same bytes and request id, which links their audit rows. */
import type { Components } from './schema.ts'

type Problem = Components['schemas']['Problem']

interface RequestOptions<T> {
  readonly headers: Readonly<Record<string, string>>
  /** Without a body the request is a GET. */
  readonly body: string | undefined
  /** Returns the answer, or throws where it is not what was asked for. */
  readonly check: (answer: unknown, response: Response) => T
  /** Gets the headers of the answer. */
  readonly onAnswer: (headers: Headers) => void
  readonly signal: AbortSignal | undefined
  readonly retries?: number
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

const RETRIES = 4
const TIMEOUT_MS = 60_000
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 60_000
const TIMED_OUT = 'The service did not answer in time.'
const RETRIED = new Set([429, 502, 503, 504])
/** How much longer than needed a retry waits at most, so that many clients do not come back at the same moment. */
const JITTER = 0.25
const FROM_A_PROXY = 'The answer did not come from the service itself; a proxy may stand between.'

/** The service refused a whole request. `problem.instance` is the request id to quote when asking for help. */
export class RiskServiceError extends Error {
  override readonly name: string = 'RiskServiceError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`)
    this.problem = problem
  }

  /** A proxy between client and service may answer without a problem document. */
  static async from(response: Response): Promise<RiskServiceError> {
    const text = await response.text()
    if (response.headers.get('content-type')?.startsWith('application/problem+json') === true) {
      const problem = JSON.parse(text) as Problem
      return problem.code === 'DEPLOYMENT_CHANGED'
        ? new DeploymentChangedError(problem, digestIn(response.headers))
        : new RiskServiceError(problem)
    }
    return RiskServiceError.of(response, FROM_A_PROXY)
  }

  /** The service has answered, or something between, but the answer cannot be used. */
  static of({ status, statusText: title, headers }: Response, detail: string): RiskServiceError {
    const instance = headers.get('x-request-id') ?? ''
    return new RiskServiceError({ type: 'about:blank', title, status, detail, instance, code: 'INTERNAL' })
  }
}

/** Throws where the answer with 200 is a page of a proxy, for example one to sign in. */
export function refusePage(response: Response): void {
  const type = response.headers.get('content-type') ?? ''
  if (!type.includes('json')) throw RiskServiceError.of(response, `${FROM_A_PROXY} It is not JSON.`)
}

/** The deployment is not in the state that `ifMatch` names, and nothing was scored. */
export class DeploymentChangedError extends RiskServiceError {
  override readonly name = 'DeploymentChangedError'
  /** The state that the deployment is in now. Look at what has changed before you pass it as `ifMatch`. */
  readonly deploymentDigest: string | undefined

  constructor(problem: Problem, deploymentDigest: string | undefined) {
    super(problem)
    this.deploymentDigest = deploymentDigest
  }
}

export function digestIn(headers: Headers): string | undefined {
  return headers.get('risk-deployment-digest') ?? undefined
}

/** The month of the open alarm of calibration. */
export function alarmIn(headers: Headers): string | undefined {
  return headers.get('risk-calibration-alarm') ?? undefined
}

/** The fields of the sender's feed that are in doubt. */
export function feedDoubtIn(headers: Headers): string | undefined {
  return headers.get('risk-feed-doubt') ?? undefined
}

export async function requestWithRetries<T>(address: string, options: RequestOptions<T>): Promise<T> {
  const { retries = RETRIES, timeoutMs = TIMEOUT_MS, fetch: send = fetch, signal, body, headers } = options
  for (let attempt = 0; ; attempt++) {
    let retryAfter: string | null = null
    const ended = new AbortController()
    const release = forwardAbort(signal, ended)
    const timer = setTimeout(() => ended.abort(new DOMException(TIMED_OUT, 'TimeoutError')), timeoutMs)
    try {
      const response = await send(address, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        body: body ?? null,
        signal: ended.signal,
      })
      if (response.ok) {
        refusePage(response)
        const answer = options.check(jsonIn(await response.text(), response), response)
        options.onAnswer(response.headers)
        return answer
      }
      const error = await RiskServiceError.from(response)
      if (!RETRIED.has(response.status) || attempt >= retries) throw error
      retryAfter = response.headers.get('retry-after')
    } catch (error) {
      // Scoring changes nothing, so a request whose answer was lost may be sent again.
      // What fetch rejects with may be an error of its own, as in Node 20.0.
      signal?.throwIfAborted()
      if (error instanceof RiskServiceError || attempt >= retries) throw error
    } finally {
      clearTimeout(timer)
      release()
    }
    await wait(retryWaitMs(attempt, retryAfter), signal)
  }
}

/** `AbortSignal.any` came with Node 20.3. Returns what lets go of the signal, which may live longer than the request. */
export function forwardAbort(signal: AbortSignal | undefined, ended: AbortController): () => void {
  const forward = (): void => ended.abort(signal?.reason)
  if (signal?.aborted === true) forward()
  signal?.addEventListener('abort', forward)
  return () => signal?.removeEventListener('abort', forward)
}

function jsonIn(text: string, response: Response): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw RiskServiceError.of(response, 'The answer is cut off or is not JSON.')
  }
}

/** How long to wait before another attempt. What Retry-After asks for is kept, up to a minute. */
export function retryWaitMs(attempt: number, retryAfter: string | null): number {
  const waitMs = Math.max(FIRST_WAIT_MS * 2 ** attempt, retryAfterMs(retryAfter ?? ''))
  return Math.min(waitMs, LONGEST_WAIT_MS) * (1 + JITTER * Math.random())
}

/** Retry-After holds seconds or, from some proxies, an HTTP date. */
function retryAfterMs(text: string): number {
  const seconds = Number(text)
  const ms = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1_000
  return Number.isNaN(ms) ? 0 : ms
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
  signal?.throwIfAborted()
}
