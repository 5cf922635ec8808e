/** One row in the audit for each answer, refusals too, before its bytes leave. An answer that cannot be recorded is not given. */
import { hash } from 'node:crypto'
import type { Deployment } from '../catalog/deployment.ts'
import { AppError } from '../errors.ts'
import { isoTime } from '../iso-time.ts'
import type { AuditEntry } from '../store/audit-row.ts'
import type { Asked, TraceTally } from './asked.ts'
import { type ProblemAnswer, problemAnswer } from './problem.ts'
import type { Seal } from '../store/seal.ts'
import type { Clock } from './clock.ts'
import type { Service } from './service.ts'
import { packageVersion } from './version.ts'

const SERVICE_VERSION = packageVersion()

/** SHA-256 in base64, of the decoded body as it was scored or of the answer's bytes. The row holds it sealed. */
export function digestOfBytes(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'base64')
}

/** Writes the row of an answer that is about to leave; resolves when it is durable. For streams: call it when the stream has ended. */
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

/** What a row will say; it is written out together with those that are committed with it. */
export interface AuditDraft {
  readonly request: Asked
  readonly status: number
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

export function entryOf({ request, status }: AuditDraft, clock: Clock, seal: Seal): AuditEntry {
  const { call, deployment, keyId, tally, today, bodyDigest, answerDigest, ended, subject } = request.trace
  const at = clock.now()
  const requestId = request.requestId.logged
  const durationMs = Math.round((performance.now() - request.startedAt) * 1000) / 1000
  // Written member by member: a row for each answer is worth more care than a general printer takes.
  const text =
    `{"at":"${isoTime(at)}"${member('requestId', requestId)}${member('keyId', keyId)}${member('call', call)}` +
    `${member('subject', subject)}${member('status', status)}${member('code', request.facts['code'])}` +
    `${tally === undefined ? '' : counts(tally)}${member('today', today)}${member('ended', ended)}` +
    member('bodyDigest', bodyDigest === undefined ? null : seal(bodyDigest)) +
    member('answerDigest', answerDigest === undefined ? null : seal(answerDigest)) +
    `,"durationMs":${durationMs},${deployment === undefined ? WITHOUT_DEPLOYMENT : wordsOf(deployment)}}`
  return { at, requestId, keyId, text }
}

/** Characters that stand for themselves in JSON. */
const PLAIN = /^[\w.:/+= -]*$/

/** A member behind others; nothing for what is not known. */
function member(name: string, value: string | number | null | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return `,"${name}":${PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)}`
  return `,"${name}":${value}`
}

function counts(tally: TraceTally): string {
  const problems = tally.problems.size === 0 ? '{}' : JSON.stringify(problemsByKind(tally))
  return `,"records":${tally.records},"scored":${tally.scored},"problems":${problems}`
}

const WITHOUT_DEPLOYMENT = members({
  deployment: null,
  model: null,
  modelDigest: null,
  service: SERVICE_VERSION,
})
const words = new WeakMap<Deployment, string>()

/** What every row of a deployment says; printed once. */
function wordsOf(deployment: Deployment): string {
  const known = words.get(deployment)
  if (known !== undefined) return known
  const { name, model, output, unknownFields, limits } = deployment
  const printed = members({
    deployment: name,
    // What decides an answer beside the model, so that it can be given again.
    settings: {
      ...(output.kind === 'yes-no'
        ? { output: 'yes-no', threshold: output.threshold }
        : { output: 'number' }),
      ...(unknownFields === 'report' ? { unknownFields } : {}),
      keysPerRecord: limits.keysPerRecord,
    },
    model: `${model.definition.id}@${model.definition.version}`,
    modelDigest: model.digest,
    service: SERVICE_VERSION,
  })
  words.set(deployment, printed)
  return printed
}

function members(facts: object): string {
  return JSON.stringify(facts).slice(1, -1)
}

/** By kind alone: the name of an unknown field is something that a caller has written. */
function problemsByKind({ problems }: TraceTally): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const kinds of problems.values()) {
    for (const [kind, count] of kinds) if (count !== 0) counts[kind] = (counts[kind] ?? 0) + count
  }
  return counts
}
