/** Why a text cannot be answered as a whole. Problems of single records are values, not errors. */
export const ENGINE_ERRORS = {
  BODY_MALFORMED: 'The body is not well-formed JSON.',
  BODY_NOT_UTF8: 'The body is not valid UTF-8.',
  BODY_NOT_ARRAY: 'The body must be a JSON array of patient records, also for a single record.',
  BODY_TOO_DEEP: 'The body is nested deeper than the deployment allows.',
  BODY_TOO_LARGE: 'The body is larger than the deployment allows. Send the records in several requests.',
  TOO_MANY_RECORDS: 'The body holds more records than the deployment allows. Send them in several requests.',
  IDX_SCATTERED:
    'The idx of the records are too scattered to notice a repeated one. Number the records upwards from 0.',
} as const

export type EngineErrorCode = keyof typeof ENGINE_ERRORS

/** A text that cannot be answered as a whole. It carries a code, never a submitted value. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode
  readonly detail: string

  constructor(code: EngineErrorCode, detail: string = ENGINE_ERRORS[code]) {
    super(`${code}: ${detail}`)
    this.code = code
    this.detail = detail
  }
}
