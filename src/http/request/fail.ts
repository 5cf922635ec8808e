/** Turns whatever went wrong into an error that a caller can be told. */
import { AppError, type ErrorCode } from '../../errors.ts'
import { describeBug } from '../../log/log.ts'
import type { RequestId } from './request-id.ts'
import type { Service } from '../service.ts'

/** What fastify refuses by itself, in our codes. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'REQUEST_INVALID',
  FST_ERR_BAD_URL: 'REQUEST_INVALID',
  FST_ERR_ASYNC_CONSTRAINT: 'REQUEST_INVALID',
}

/** A bug is logged, without its text, and told as such. */
export function toAppError({ log }: Service, error: Error, requestId: RequestId): AppError {
  if (error instanceof AppError) return error
  const code = FRAMEWORK_CODES[(error as { readonly code?: string }).code ?? '']
  if (code !== undefined) return new AppError(code)
  log.error({ event: 'bug', requestId: requestId.logged, ...describeBug(error) })
  return new AppError('INTERNAL')
}
