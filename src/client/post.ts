/** One request with retries. A retry sends the same bytes under the same request id, so the audit shows what belongs together. */
import type { Components } from './schema.ts'

type Problem = Components['schemas']['Problem']

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>
  /** Without a body the request is a GET. */
  readonly body?: Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal | undefined
  readonly retries?: number
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

const RETRIES = 4
const TIMEOUT_MS = 60_000
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 60_000
const RETRIED = new Set([429, 503])

/** The service refused a whole request. `problem.instance` is the request id to quote when asking for help. */
export class RiskServiceError extends Error {
  override readonly name = 'RiskServiceError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`)
    this.problem = problem
  }

  /** A proxy between client and service may answer without a problem document. */
  static async from(response: Response): Promise<RiskServiceError> {
    const text = await response.text()
    if (response.headers.get('content-type')?.startsWith('application/problem+json') === true) {
      return new RiskServiceError(JSON.parse(text) as Problem)
    }
    const { status, statusText: title } = response
    const instance = response.headers.get('x-request-id') ?? ''
    const detail = 'The answer did not come from the service itself; a proxy may stand between.'
    return new RiskServiceError({ type: 'about:blank', title, status, detail, instance, code: 'INTERNAL' })
  }
}

export async function postWithRetries(address: string, options: PostOptions): Promise<unknown> {
  const { retries = RETRIES, timeoutMs = TIMEOUT_MS, signal, body, headers } = options
  const send = options.fetch ?? fetch
  for (let attempt = 0; ; attempt++) {
    let waitMs = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS)
    try {
      const limit = AbortSignal.timeout(timeoutMs)
      const response = await send(address, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        ...(body === undefined ? {} : { body }),
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      })
      if (response.ok) return await response.json()
      const error = await RiskServiceError.from(response)
      if (!RETRIED.has(response.status) || attempt >= retries) throw error
      waitMs = Math.max(waitMs, Number(response.headers.get('retry-after') ?? 0) * 1_000)
    } catch (error) {
      // Scoring changes nothing, so a request whose answer was lost may be sent again.
      if (error instanceof RiskServiceError || signal?.aborted === true || attempt >= retries) throw error
    }
    await wait(waitMs, signal)
  }
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    function stop(): void {
      clearTimeout(timer)
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}
