/** Whole-request errors as RFC 9457 problem bodies. The one place where a code meets a status. */
import { type AppError, ERRORS, type ErrorCode } from '../../errors.ts'

// Leaving a code out is a compile error, so no failure can lack a status.
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  BODY_MALFORMED: 400,
  BODY_NOT_UTF8: 400,
  BODY_NOT_ARRAY: 400,
  BODY_TOO_DEEP: 400,
  REQUEST_INVALID: 400,
  KEY_MISSING: 401,
  KEY_INVALID: 401,
  KEY_SCOPE: 403,
  KEY_ENDED: 409,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BODY_TOO_SLOW: 408,
  BODY_TOO_LARGE: 413,
  TOO_MANY_RECORDS: 413,
  IDX_SCATTERED: 413,
  MEDIA_TYPE: 415,
  CONTENT_CODING: 415,
  RATE_LIMITED: 429,
  TOO_MANY_ATTEMPTS: 429,
  INTERNAL: 500,
  MODEL_NOT_READY: 503,
  STORE_UNAVAILABLE: 503,
  AUDIT_UNAVAILABLE: 503,
  OVERLOADED: 503,
  WORKER_LOST: 503,
  DRAINING: 503,
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

export const PROBLEM_TYPE = 'application/problem+json'
const RETRY_AFTER_S = 5
const REALM = 'patient-risk'

export interface ProblemAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function problemAnswer(error: AppError, requestId: string): ProblemAnswer {
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
  return { status, headers: { 'content-type': PROBLEM_TYPE, ...headersFor(code, status) }, body }
}

function headersFor(code: ErrorCode, status: number): Readonly<Record<string, string>> {
  if (code === 'KEY_MISSING') return { 'www-authenticate': `Bearer realm="${REALM}"` }
  if (code === 'KEY_INVALID') return { 'www-authenticate': `Bearer realm="${REALM}", error="invalid_token"` }
  if (code === 'KEY_SCOPE')
    return { 'www-authenticate': `Bearer realm="${REALM}", error="insufficient_scope"` }
  return status === 503 ? { 'retry-after': String(RETRY_AFTER_S) } : {}
}

/** Every code with its status and meaning, for the documentation. */
export function problemTable(): readonly { code: ErrorCode; status: number; detail: string }[] {
  return (Object.keys(ERRORS) as ErrorCode[]).map((code) => ({
    code,
    status: STATUS[code],
    detail: ERRORS[code],
  }))
}
