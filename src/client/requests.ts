/** One request with retries, and the bodies of several. Retries send the same bytes and request id, which links their audit rows. */
import type { Components } from './schema.ts'

type Problem = Components['schemas']['Problem']

interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>
  /** Without a body the request is a GET. */
  readonly body: Uint8Array<ArrayBuffer> | undefined
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

export async function requestWithRetries(address: string, options: RequestOptions): Promise<unknown> {
  const { retries = RETRIES, timeoutMs = TIMEOUT_MS, fetch: send = fetch, signal, body, headers } = options
  for (let attempt = 0; ; attempt++) {
    let waitMs = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS)
    try {
      const limit = AbortSignal.timeout(timeoutMs)
      const response = await send(address, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        body: body ?? null,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      })
      if (response.ok) return await response.json()
      const error = await RiskServiceError.from(response)
      if (!RETRIED.has(response.status) || attempt >= retries) throw error
      waitMs = Math.max(waitMs, retryAfterMs(response))
    } catch (error) {
      // Scoring changes nothing, so a request whose answer was lost may be sent again.
      if (error instanceof RiskServiceError || signal?.aborted === true || attempt >= retries) throw error
    }
    await wait(waitMs, signal)
  }
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
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, ms)
  signal?.addEventListener('abort', resolve)
  await promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', resolve)
  signal?.throwIfAborted()
}

export interface Limits {
  readonly records: number
  readonly bytes: number
}

/**
 * Cuts records into bodies within the limits of a deployment. `positions` says where the records of a body stand in the list.
 * Records with the same idx stay in one body: the service refuses all of them, and could not if it saw them apart.
 * A caller who matches answers by idx must never get another patient's number.
 */
export function batchesOf(
  records: readonly { readonly idx: number }[],
  limits: Limits,
): readonly { readonly body: Uint8Array<ArrayBuffer>; readonly positions: readonly number[] }[] {
  const encoder = new TextEncoder()
  const batches: { readonly texts: string[]; readonly positions: number[]; bytes: number }[] = []
  // A record without an idx is a group of its own.
  const groups = Map.groupBy(
    records.keys(),
    (position) => (records[position] as { readonly idx?: number } | null)?.idx ?? `no idx ${position}`,
  )
  for (const group of groups.values()) {
    if (group.length > limits.records) {
      throw new RangeError(
        `${group.length} records share one idx, and a request may hold ${limits.records}. Give each record an idx of its own.`,
      )
    }
    const texts = group.map((position) => JSON.stringify(records[position]))
    const bytes = encoder.encode(texts.join()).length + 1
    const last = batches[batches.length - 1]
    const fits =
      last !== undefined &&
      last.positions.length + group.length <= limits.records &&
      last.bytes + bytes <= limits.bytes
    const batch = fits ? last : { texts: [], positions: [], bytes: 2 }
    if (!fits) batches.push(batch)
    batch.texts.push(...texts)
    batch.positions.push(...group)
    batch.bytes += bytes
  }
  return batches.map(({ texts, positions }) => ({ body: encoder.encode(`[${texts.join()}]`), positions }))
}
