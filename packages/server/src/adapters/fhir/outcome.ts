/** OperationOutcome: the problems of a patient, and refusals of whole requests. No text in it is a submitted value. */
import { type Problem, REASONS } from 'patient-risk-engine'
import type { AppError, ErrorCode } from '@patient-risk/runtime'
import type { Json } from 'patient-risk-engine/read'

export interface Issue {
  readonly severity: 'error' | 'warning' | 'information'
  /** From the value set issue-type of R4. */
  readonly code: string
  readonly text: string
  readonly diagnostics?: string | undefined
  /** The element at fault, as a simple FHIRPath of the body. */
  readonly expression?: readonly string[]
}

export function operationOutcome(issues: readonly Issue[]): Json {
  const issue = issues.map(({ severity, code, text, diagnostics, expression }) => {
    return { severity, code, details: { text }, diagnostics, expression }
  })
  return { resourceType: 'OperationOutcome', issue }
}

const CODE_OF_REASON: Readonly<Record<string, string>> = {
  [REASONS.notPermitted]: 'code-invalid',
  [REASONS.duplicate]: 'duplicate',
  [REASONS.tooManyFields]: 'too-long',
  [REASONS.unknownField]: 'not-supported',
  [REASONS.notComputable]: 'processing',
}

export function issueCodeOf({ kind, reason = '' }: Problem): string {
  if (kind === 'ValueMissing') return 'required'
  if (reason.startsWith('the sum')) return 'invariant'
  return CODE_OF_REASON[reason] ?? 'value'
}

// Leaving a code out is a compile error, so no refusal can lack one.
const CODE_OF_ERROR: Readonly<Record<ErrorCode, string>> = {
  BODY_MALFORMED: 'structure',
  BODY_NOT_UTF8: 'structure',
  BODY_NOT_ARRAY: 'structure',
  BODY_TOO_DEEP: 'too-costly',
  BODY_NOT_FHIR: 'structure',
  FHIR_VERSION: 'not-supported',
  BUNDLE_INCOMPLETE: 'incomplete',
  ASYNC_UNSUPPORTED: 'not-supported',
  DEPLOYMENT_CHANGED: 'conflict',
  PREFETCH_INCOMPLETE: 'incomplete',
  NOT_ACCEPTABLE: 'not-supported',
  REQUEST_INVALID: 'invalid',
  KEY_MISSING: 'login',
  KEY_INVALID: 'login',
  KEY_SCOPE: 'forbidden',
  IDEMPOTENCY_KEY_REUSED: 'duplicate',
  TOO_MANY_JOBS: 'throttled',
  JOB_FAILED: 'exception',
  KEY_ENDED: 'conflict',
  LAST_ADMIN_KEY: 'conflict',
  NOT_FOUND: 'not-found',
  METHOD_NOT_ALLOWED: 'not-supported',
  BODY_TOO_SLOW: 'timeout',
  BODY_TOO_LARGE: 'too-long',
  TOO_MANY_RECORDS: 'too-costly',
  TOO_MANY_CELLS: 'too-costly',
  IDX_SCATTERED: 'too-costly',
  MEDIA_TYPE: 'not-supported',
  CONTENT_CODING: 'not-supported',
  RATE_LIMITED: 'throttled',
  TOO_MANY_ATTEMPTS: 'throttled',
  MODEL_NOT_READY: 'transient',
  STORE_UNAVAILABLE: 'transient',
  AUDIT_UNAVAILABLE: 'transient',
  OVERLOADED: 'transient',
  WORKER_LOST: 'transient',
  DRAINING: 'transient',
  INTERNAL: 'exception',
}

export function refusalOutcome({ code, detail }: AppError, expression?: readonly string[]): Json {
  const issue = { severity: 'error', code: CODE_OF_ERROR[code], text: detail, diagnostics: code } as const
  return operationOutcome([expression === undefined ? issue : { ...issue, expression }])
}
