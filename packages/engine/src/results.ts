/** Records and results as programs see them: the same as in the body and the answer of the scoring call. */
import type { RestsOn } from './explain/rests-on.ts'

/** A record: its idx, and the fields of the catalogue. A value that is null or not there counts as absent. */
export type PatientRecord =
  | { readonly idx: number; readonly [field: string]: unknown }
  // Any interface with an idx: it has no index signature.
  | { readonly idx: number }

export interface ErrorItem {
  /** Name of the request field, or record, idx or risk. */
  readonly Field: string
  /** Date of the scale, DD-MM-YYYY, or empty. */
  readonly FieldDate: string
  readonly ExtendError: string
}

interface Judged {
  /** The idx of the record; null when it has no usable one. */
  readonly idx: number | null
  /** Every problem of the record; null if the record has no problem. */
  readonly error_message: readonly ErrorItem[] | null
}
export type Validity = Judged & { readonly valid: boolean }
/** The risk is null exactly when a problem keeps the record from being scored. */
export type Result<Risk> = Judged & { readonly risk: Risk | null }
/** A result with what it rests on. */
export type ExplainedResult<Risk> = Result<Risk> & RestsOn

/** Records as the body of a call. */
export function bodyOf(records: readonly PatientRecord[]): Uint8Array {
  const hasUnwritable = (record: unknown): boolean =>
    typeof record === 'object' && record !== null && Object.values(record).some(isUnwritable)
  const text = JSON.stringify(records, records.some(hasUnwritable) ? unwritableAsText : undefined)
  return new TextEncoder().encode(text)
}

/** Numbers that JSON cannot write: they would become null, which means absent, or be left out. */
function isUnwritable(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
}

/** NaN and the infinities become texts, so that the field reports a problem. */
function unwritableAsText(_name: string, value: unknown): unknown {
  if (!isUnwritable(value)) return value
  const number = Number(value)
  return Number.isFinite(number) ? number : String(number)
}
