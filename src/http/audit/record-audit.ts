/** One row in the audit for each answer, refusals too, before its bytes leave. An answer that cannot be recorded is not given. */
import { hash } from 'node:crypto'
import { AppError } from '../../errors.ts'
import type { Asked } from '../request/request-context.ts'
import { type ProblemAnswer, problemAnswer } from '../request/problem.ts'
import type { Service } from '../service.ts'

/** SHA-256 in base64, of the decoded body as it was scored or of the answer's bytes. The row holds it sealed. */
export function digestOfBytes(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'base64')
}

/** Writes the row of an answer that is about to leave; resolves when it is durable. */
export function recordAudit(
  service: Service,
  request: Asked,
  status: number,
  body?: unknown,
  answer?: Uint8Array | string,
): Promise<void> {
  const { trace } = request
  if (body instanceof Uint8Array) trace.bodyDigest ??= digestOfBytes(body)
  if (answer !== undefined) trace.answerDigest ??= digestOfBytes(answer)
  return service.audit.add({ request, status })
}

/** The last stage before the bytes. An answer that could not be recorded is not given: what is told instead is returned. */
export async function recordOrReplace(
  service: Service,
  request: Asked,
  status: number,
  body?: unknown,
  answer?: Uint8Array | string,
): Promise<ProblemAnswer | undefined> {
  try {
    await recordAudit(service, request, status, body, answer)
    return undefined
  } catch (error) {
    const { facts, trace, requestId } = request
    service.log.error({
      event: 'audit-failed',
      requestId: requestId.logged,
      reason: (error as Error).message,
    })
    facts['code'] = 'AUDIT_UNAVAILABLE'
    delete facts['scored']
    delete trace.tally
    return problemAnswer(new AppError('AUDIT_UNAVAILABLE'), requestId.shown)
  }
}

/** Headers that speak of an answer which is not given after all. */
export const HEADERS_OF_THE_ANSWER = ['risk-model', 'risk-model-digest', 'www-authenticate'] as const
