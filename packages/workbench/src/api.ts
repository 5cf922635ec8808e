/** Calls of the service. A failure carries what happened, so that a view can say what to do. */
import { parseJson } from 'patient-risk-engine/read'
import { service } from './service.ts'
import { noteServiceTime } from './service-clock.ts'

const SCORING_PATH = '/risk/api/do/v0'
const DEPLOYMENT_CHANGED = 'DEPLOYMENT_CHANGED'

/**
 * The form of answers that the browser keeps, raised when the page needs something new in them: they are asked for by the tag of their
 * deployment, which stays the same when the service gets a new version.
 */
const KEPT_FORM = '?form=1'

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  /** 0 when the service could not be reached. */
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly requestId: string
  readonly retryAfterS: number | undefined
  /** Private, so that no view, log or saved file can hold a key by accident. */
  readonly #key: string | undefined

  constructor(parts: {
    status: number
    code: string
    detail: string
    requestId?: string
    retryAfterS?: number | undefined
    key?: string
  }) {
    super(parts.code)
    this.status = parts.status
    this.code = parts.code
    this.detail = parts.detail
    this.requestId = parts.requestId ?? ''
    this.retryAfterS = parts.retryAfterS
    this.#key = parts.key
  }

  /** Whether the service answered so to this key. */
  isOf(key: string | undefined): boolean {
    return key !== undefined && this.#key === key
  }

  /** Whether the deployment has changed since the page loaded it. */
  get isOfChange(): boolean {
    return this.code === DEPLOYMENT_CHANGED
  }

  /** Whether the same request may succeed a little later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 502 || this.status === 503
  }
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  /** A body that is JSON already. */
  readonly text?: string
  readonly signal?: AbortSignal
  /** Whether the browser may keep the answer, which holds nothing of a patient. */
  readonly isKept?: boolean
  /** Of outcomes: the same text is not counted twice. */
  readonly idempotencyKey?: string
  /** The digest of the deployment that the page has loaded. An answer of another state is a failure, and nothing is scored. */
  readonly digest?: string
  /** Gets the headers of an answer that is not a failure. */
  readonly onHeaders?: (headers: Headers) => void
}

/** Calls the service. The key goes into the header, never into an address. */
export async function ask<T>(key: string, path: string, call: Call = {}): Promise<T> {
  const response = await send(key, path, call)
  if (!response.ok) throw await failureOf(response, key)
  // A service that does not know If-Match answers too.
  if (call.digest !== undefined && response.headers.get('risk-deployment-digest') !== call.digest) {
    throw new ApiFailure({ status: 412, code: DEPLOYMENT_CHANGED, detail: '' })
  }
  call.onHeaders?.(response.headers)
  try {
    return (response.status === 204 ? undefined : parseJson(await response.text())) as T
  } catch (error) {
    throw asFailure(error)
  }
}

/** `sha-256=:…:` as an entity tag. */
function tagOf(digest: string): string {
  return `"${digest.slice('sha-256=:'.length, -1)}"`
}

/** The same for an answer that is not JSON. */
export async function askText(key: string, path: string): Promise<string> {
  const response = await send(key, path)
  if (!response.ok) throw await failureOf(response, key)
  return response.text()
}

/** A call of a deployment: the part of its address after the version. */
type ModelPart = '' | '/report' | '/report.html' | `/trees/${number}`
export type CallName =
  | ''
  | '/validate'
  | '/explain'
  | '/fields'
  | '/shadow'
  | '/performance'
  | '/outcomes'
  | '/local-evidence'
  | `/model${ModelPart}`

export function callOf(basePath: string, name: CallName): string {
  return `${basePath === '/' ? '' : basePath}${SCORING_PATH}${name}`
}

export async function send(key: string, path: string, call: Call = {}): Promise<Response> {
  const text = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
  try {
    const response = await service().fetch(call.isKept === true ? path + KEPT_FORM : path, {
      method: call.method ?? 'GET',
      headers: {
        authorization: `Bearer ${key}`,
        // The page translates what it shows: an answer stays right when its reader chooses another language.
        'accept-language': 'en',
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
        ...(call.digest === undefined ? {} : { 'if-match': tagOf(call.digest) }),
      },
      ...(text === undefined ? {} : { body: text }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
      credentials: 'omit',
      // What describes a deployment is asked for again each time, and sent only where it has changed.
      cache: call.isKept === true ? 'no-cache' : 'no-store',
    })
    noteServiceTime(response)
    return response
  } catch (error) {
    throw asFailure(error)
  }
}

/** Runs some calls that must all be answered within a time. `cancelled` ends them early. */
export async function within<T>(
  timeoutMs: number,
  cancelled: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // By hand: the oldest browsers that the page is built for have no AbortSignal.any.
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  cancelled.addEventListener('abort', abort)
  try {
    return await run(controller.signal)
  } catch (error) {
    if (!isAborted(error) || cancelled.aborted) throw error
    throw new ApiFailure({ status: 504, code: 'TIMEOUT', detail: '' })
  } finally {
    clearTimeout(timer)
    cancelled.removeEventListener('abort', abort)
  }
}

/** What a failed fetch means. A cancelled call stays what it is. */
function asFailure(error: unknown): unknown {
  return isAborted(error) ? error : new ApiFailure({ status: 0, code: 'UNREACHABLE', detail: '' })
}

async function failureOf(response: Response, key: string): Promise<ApiFailure> {
  const retryAfter = Number(response.headers.get('retry-after'))
  const retryAfterS = retryAfter > 0 ? retryAfter : undefined
  try {
    const problem = parseJson(await response.text()) as { code?: string; detail?: string; instance?: string }
    return new ApiFailure({
      status: response.status,
      code: problem.code ?? 'UNKNOWN',
      detail: problem.detail ?? '',
      requestId: problem.instance ?? '',
      retryAfterS,
      key,
    })
  } catch {
    return new ApiFailure({ status: response.status, code: 'UNKNOWN', detail: '', retryAfterS, key })
  }
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}
