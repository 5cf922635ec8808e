/** Whole-request errors as RFC 9457 problem bodies. This is the only place that maps a code to a status. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, appErrorOf, type ErrorCode, StoreError, describeBug } from '@patient-risk/runtime'
import type { Log } from '../../log/log.ts'
import { type RequestContext, type RequestId, orderedId } from './request-context.ts'

// Leaving a code out is a compile error, so no failure can lack a status.
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  BODY_MALFORMED: 400,
  BODY_NOT_UTF8: 400,
  BODY_NOT_ARRAY: 400,
  BODY_TOO_DEEP: 400,
  BODY_NOT_FHIR: 400,
  FHIR_VERSION: 400,
  BUNDLE_INCOMPLETE: 422,
  ASYNC_UNSUPPORTED: 422,
  DEPLOYMENT_CHANGED: 412,
  PREFETCH_INCOMPLETE: 412,
  NOT_ACCEPTABLE: 406,
  REQUEST_INVALID: 400,
  KEY_MISSING: 401,
  KEY_INVALID: 401,
  KEY_SCOPE: 403,
  IDEMPOTENCY_KEY_REUSED: 409,
  KEY_ENDED: 409,
  LAST_ADMIN_KEY: 409,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BODY_TOO_SLOW: 408,
  BODY_TOO_LARGE: 413,
  TOO_MANY_RECORDS: 413,
  TOO_MANY_CELLS: 413,
  IDX_SCATTERED: 413,
  MEDIA_TYPE: 415,
  CONTENT_CODING: 415,
  RATE_LIMITED: 429,
  TOO_MANY_JOBS: 429,
  TOO_MANY_ATTEMPTS: 429,
  JOB_FAILED: 500,
  INTERNAL: 500,
  MODEL_NOT_READY: 503,
  STORE_UNAVAILABLE: 503,
  AUDIT_UNAVAILABLE: 503,
  OVERLOADED: 503,
  WORKER_LOST: 503,
  DRAINING: 503,
}

/** The titles of RFC 9110, where Node has older ones. */
const TITLES: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

const RETRY_AFTER_S = 5
const NEXT_JOB_S = 10
const REALM = 'patient-risk'
const CHALLENGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  KEY_MISSING: '',
  KEY_INVALID: ', error="invalid_token"',
  KEY_SCOPE: ', error="insufficient_scope"',
}

interface ProblemAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function problemAnswer(error: AppError, requestId: string): ProblemAnswer {
  const { code, detail } = error
  const status = STATUS[code]
  const body = JSON.stringify({
    type: `urn:patient-risk:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title: TITLES[status],
    status,
    detail,
    instance: requestId,
    code,
  })
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' }
  const challenge = CHALLENGES[code]
  if (challenge !== undefined) headers['www-authenticate'] = `Bearer realm="${REALM}"${challenge}`
  if (status === 503) headers['retry-after'] = String(RETRY_AFTER_S)
  // Room comes back when a job of the key ends, expires or is deleted.
  if (code === 'TOO_MANY_JOBS') headers['retry-after'] = String(NEXT_JOB_S)
  return { status, headers, body }
}

/** The answer to a refused request, in the form of its route. */
export function refusalAnswer(error: AppError, { id, config }: RequestContext): ProblemAnswer {
  const answer = problemAnswer(error, id.shown)
  const own = config.refusal?.(error)
  if (own === undefined) return answer
  return { ...answer, headers: { ...answer.headers, 'content-type': own.type }, body: own.body }
}

/** The error that a caller gets for whatever was thrown. A bug is logged without its text. */
export function toAppError(error: Error, log: Log, id: RequestId): AppError {
  const refusal = appErrorOf(error)
  if (refusal !== undefined) return refusal
  if (error instanceof StoreError) return new AppError('STORE_UNAVAILABLE')
  const { statusCode = 500 } = error as { readonly statusCode?: number }
  if (statusCode === 404) return new AppError('NOT_FOUND')
  if (statusCode >= 400 && statusCode < 500) return new AppError('REQUEST_INVALID')
  log.error({ event: 'bug', requestId: id.logged, ...describeBug(error) })
  return new AppError('INTERNAL')
}

/** Answers on a connection whose bytes are not a request, or whose headers came too slowly. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const refusal = new AppError(isSlow ? 'BODY_TOO_SLOW' : 'REQUEST_INVALID')
  const { status, headers, body } = problemAnswer(refusal, orderedId())
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} ${TITLES[status] ?? ''}\r\n${head}\r\n${body}`)
}
