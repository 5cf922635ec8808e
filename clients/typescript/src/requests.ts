/** One request with retries. They send the same bytes and request id, which links their audit rows. */
import type { Components } from './schema.ts'

type Problem = Components['schemas']['Problem']

interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>
  /** Without a body the request is a GET. */
  readonly body: string | undefined
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
const RETRIED = new Set([429, 503])

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
    const { status, statusText: title } = response
    const instance = response.headers.get('x-request-id') ?? ''
    const detail = 'The answer did not come from the service itself; a proxy may stand between.'
    return new RiskServiceError({ type: 'about:blank', title, status, detail, instance, code: 'INTERNAL' })
  }
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

export async function requestWithRetries(address: string, options: RequestOptions): Promise<unknown> {
  const { retries = RETRIES, timeoutMs = TIMEOUT_MS, fetch: send = fetch, signal, body, headers } = options
  for (let attempt = 0; ; attempt++) {
    let waitMs = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS)
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
        const answer: unknown = await response.json()
        options.onAnswer(response.headers)
        return answer
      }
      const error = await RiskServiceError.from(response)
      if (!RETRIED.has(response.status) || attempt >= retries) throw error
      waitMs = Math.max(waitMs, retryAfterMs(response))
    } catch (error) {
      // Scoring changes nothing, so a request whose answer was lost may be sent again.
      if (error instanceof RiskServiceError || signal?.aborted === true || attempt >= retries) throw error
    } finally {
      clearTimeout(timer)
      release()
    }
    await wait(waitMs, signal)
  }
}

/** `AbortSignal.any` came with Node 20.3. Returns what lets go of the signal, which may live longer than the request. */
export function forwardAbort(signal: AbortSignal | undefined, ended: AbortController): () => void {
  const forward = (): void => ended.abort(signal?.reason)
  if (signal?.aborted === true) forward()
  signal?.addEventListener('abort', forward)
  return () => signal?.removeEventListener('abort', forward)
}

/** Retry-After holds seconds or, from some proxies, an HTTP date. */
function retryAfterMs(response: Response): number {
  const text = response.headers.get('retry-after') ?? ''
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
