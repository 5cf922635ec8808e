/** Every way a request can fail as a whole. A released code never changes its meaning. */
export const ERRORS = {
  BODY_MALFORMED: 'The body is not well-formed JSON.',
  BODY_NOT_UTF8: 'The body is not valid UTF-8.',
  BODY_NOT_ARRAY: 'The body must be a JSON array of patient records, also for a single record.',
  BODY_TOO_DEEP: 'The body is nested deeper than the deployment allows.',
  BODY_NOT_FHIR: 'The body must be a Bundle or Parameters resource of FHIR R4.',
  FHIR_VERSION: 'The body is FHIR R5. This service reads FHIR R4 (4.0.1): convert the Encounters first.',
  BUNDLE_INCOMPLETE:
    'The Bundle is one page of several (it has a link "next"), so counts from it would be too low. Send all pages in one Bundle.',
  ASYNC_UNSUPPORTED:
    'The service answers every call at once. Leave out "Prefer: respond-async"; send many Bundles as lines of application/fhir+ndjson.',
  DEPLOYMENT_CHANGED:
    'The deployment is not in the state that If-Match names, so nothing was scored. Look at what has changed in GET …/v0/model, then send the new digest.',
  PREFETCH_INCOMPLETE: 'Data that the service needs is not in the prefetch of the request.',
  NOT_ACCEPTABLE: 'The service answers this address in "application/fhir+json" only.',
  REQUEST_INVALID: 'The request is not a valid HTTP request for this service.',
  KEY_MISSING: 'The request carries no API key. Send the header "Authorization: Bearer <API_KEY>".',
  KEY_INVALID: 'The API key is unknown, expired, revoked or mistyped.',
  KEY_SCOPE: 'The API key is valid, but it may not use this deployment.',
  IDEMPOTENCY_KEY_REUSED:
    'Another body was sent with this Idempotency-Key, so nothing was counted. Use a new key for a new body.',
  KEY_ENDED: 'The key to be replaced is revoked or expired. Make a new one instead.',
  LAST_ADMIN_KEY: 'No other usable key could manage what this one does. Make another admin key first.',
  NOT_FOUND: 'There is nothing at this address.',
  METHOD_NOT_ALLOWED: 'This address does not take this method. The header "Allow" lists the ones it takes.',
  BODY_TOO_SLOW: 'The body did not arrive in time.',
  BODY_TOO_LARGE: 'The body is larger than the deployment allows. Send the records in several requests.',
  TOO_MANY_RECORDS: 'The body holds more records than the deployment allows. Send them in several requests.',
  TOO_MANY_CELLS:
    'The outcomes of the body change more counts than the deployment allows, and nothing was counted. Send them in several requests.',
  IDX_SCATTERED:
    'The idx of the records are too scattered to notice a repeated one. Number the records upwards from 0.',
  MEDIA_TYPE:
    'The body must be sent as "Content-Type: application/json", or as "application/x-ndjson" with a record a line.',
  CONTENT_CODING: 'The content coding of the body is not supported.',
  RATE_LIMITED:
    'The API key has used up its requests or records of this minute. The header "Retry-After" says when to come back.',
  TOO_MANY_JOBS:
    'The API key has as many jobs, or as many bytes in jobs, as it may have. Fetch results that are done and delete their jobs.',
  TOO_MANY_ATTEMPTS:
    'Too many wrong API keys came from this address or for this key id. The header "Retry-After" says when to come back.',
  MODEL_NOT_READY: 'The model of this deployment did not pass its self-check, so it gives no answers.',
  STORE_UNAVAILABLE: 'The key store cannot be reached at the moment.',
  AUDIT_UNAVAILABLE:
    'The answer could not be recorded in the audit, so it is not sent. Send the request again.',
  OVERLOADED: 'The service has more work than it can do in time. Try again later.',
  WORKER_LOST: 'The part of the service that worked on this request stopped. Send the request again.',
  DRAINING: 'The service is stopping.',
  JOB_FAILED: 'The job could not be finished. Submit the records again.',
  INTERNAL: 'Something went wrong inside the service. Give the request id to those who run it.',
} as const

export type ErrorCode = keyof typeof ERRORS

/** A request that cannot be served as a whole. It carries a code, never a submitted value. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly detail: string

  constructor(code: ErrorCode, detail: string = ERRORS[code]) {
    super(`${code}: ${detail}`)
    this.code = code
    this.detail = detail
  }
}

/** The caller closed the connection, so nobody gets the answer. */
export class CallerLeft extends AppError {
  constructor() {
    super('REQUEST_INVALID', 'The caller closed the connection before the answer was complete.')
  }
}

/**
 * The AppError that an error stands for. Code that does not know this table, such as the engine, throws errors of its own with
 * a code of the table and a detail.
 */
export function appErrorOf(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  if (!(error instanceof Error)) return undefined
  const { code, detail } = error as { readonly code?: unknown; readonly detail?: unknown }
  if (typeof code !== 'string' || typeof detail !== 'string' || !Object.hasOwn(ERRORS, code)) return undefined
  return new AppError(code as ErrorCode, detail)
}

/** The request itself is at fault, in this way. */
export function invalid(detail: string): AppError {
  return new AppError('REQUEST_INVALID', detail)
}

/** A call of the store failed or took too long. Carries no data. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** Work of the store was rolled back because its caller had given up. The database is fine. */
export class LateError extends StoreError {
  constructor() {
    super('the call was given up before its commit, so nothing was stored')
  }
}

/** What is reported of an unexpected error: its kind and place. Its text may quote a patient record. */
export function describeBug(error: unknown): { readonly kind: string; readonly place: string } {
  if (!(error instanceof Error)) return { kind: typeof error, place: '' }
  // The message stands before the frames, and may look like one.
  const frames = (error.stack ?? '').replace(error.message, '').split('\n')
  const frame = frames.find((line) => /^\s+at /.test(line)) ?? ''
  const place = frame.replace(/^\s+at /, '').replace(/\(?file:.*\/(src|dist)\//, '($1/')
  return { kind: error.constructor.name, place }
}
