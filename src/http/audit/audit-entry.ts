/** A row of the audit as text: what an answer was, who got it and what it came from. Nothing that a caller has written. */
import type { Deployment } from '../../catalog/deployment.ts'
import type { AuditEntry } from '../../store/audit/audit-row.ts'
import { isoTime } from '../../iso-time.ts'
import type { Seal } from '../../store/audit/seal.ts'
import type { Asked, TraceTally } from '../request/request-context.ts'
import type { Clock } from '../../clock.ts'
import { packageVersion } from '../../version.ts'

const SERVICE_VERSION = packageVersion()

/** What a row will say; it is written out together with those that are committed with it. */
export interface AuditDraft {
  readonly request: Asked
  readonly status: number
}

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
  if (typeof value === 'string')
    return `,"${name}":${PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)}`
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
