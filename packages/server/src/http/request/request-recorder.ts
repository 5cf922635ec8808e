/**
 * What remains of a request: one audit row for each answer, refusals too, before its bytes leave; a log line and counts after it. An
 * answer without a row is not given.
 */
import type { Deployment, KeyCodes } from '@patient-risk/catalog'
import { type Clock, isoTime, type Seal, digestOf, packageVersion } from '@patient-risk/runtime'
import type { TallyCounts } from 'patient-risk-engine'
import type { Log } from '../../log/log.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { AuditEntry } from '../../store/audit/audit-row.ts'
import type { ScoredRisks } from '../../store/outcomes/scored-risks.ts'
import type { Store } from '../../store/store.ts'
import type { Connections } from '../connection/connections.ts'
import type { Lifecycle } from '../connection/lifecycle.ts'
import type { Load } from '../connection/load.ts'
import type { RequestContext } from './request-context.ts'

const SERVICE_VERSION = packageVersion()

interface RecorderParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly seal: Seal
  readonly connections: Connections
  readonly lifecycle: Lifecycle
  readonly load: Load
}

/** What the row of a job says at its end. */
export interface EndedJob {
  readonly at: number
  /** The request that submitted it, as the log has it. */
  readonly requestId: string
  readonly keyId: string
  readonly subject: string
  /** When it was submitted. */
  readonly submitted: string
  /** Of a job that failed. */
  readonly code: string | undefined
  readonly tally: TallyCounts | undefined
  /** The risks of a job that is done, where they are counted. */
  readonly scored: ScoredRisks | undefined
  readonly today: number
  readonly codes: KeyCodes | undefined
  readonly deployment: Deployment | undefined
}

export class RequestRecorder {
  private readonly parts: RecorderParts
  /** The end of a row, which all rows of a deployment share: it is printed once, not for every row. */
  private readonly sources = new Map<Deployment | undefined, string>()

  constructor(parts: RecorderParts) {
    this.parts = parts
  }

  /** Records an answer that is about to leave; resolves when the row is durable, with false when it cannot be written. */
  async record(context: RequestContext, status: number, answer?: Uint8Array | string): Promise<boolean> {
    if (context.recordedStatus === status) return true
    try {
      await this.parts.store.appendAudit([this.entryOf(context, status, answer)])
      return true
    } catch (error) {
      const reason = (error as Error).message
      this.parts.log.error({ event: 'audit-failed', requestId: context.id.logged, reason })
      return false
    }
  }

  /** Call when the answer is recorded and about to leave: nothing more will be known of the request. */
  finish(context: RequestContext): void {
    if (context.isFinished) return
    context.isFinished = true
    this.parts.lifecycle.openRequests--
    // An event, not a promise: promises that wait for the end of a request keep it in memory until a full garbage collection.
    if (context.response.closed) this.end(context)
    else context.response.on('close', () => this.end(context))
  }

  /** The answer has left, or its caller has hung up. */
  private end(context: RequestContext): void {
    const { load, log, connections, metrics } = this.parts
    const { raw, response, id, route, deployment, key, tally, code, ended, durationMs } = context
    load.release(context)
    connections.answered(raw)
    const method = raw.method ?? ''
    const status = response.statusCode
    log.info({
      event: 'request',
      requestId: id.logged,
      method,
      route,
      status,
      durationMs,
      deployment: deployment?.name,
      key: key?.id,
      records: tally?.records,
      scored: tally?.scored,
      ended,
      code,
    })
    const name = deployment?.name ?? 'none'
    const seconds = durationMs / 1000
    metrics.count({ deployment: name, route, method, status, code: code ?? '', seconds }, tally)
    const uncomputable = tally?.uncomputable ?? 0
    if (uncomputable === 0) return
    log.error({ event: 'risk-not-computable', requestId: id.logged, deployment: name, records: uncomputable })
  }

  /** The row of an answer. A handler that stores it itself, together with what the answer reports, sets `recordedStatus`. */
  entryOf(context: RequestContext, status: number, answer?: Uint8Array | string): AuditEntry {
    const { id, key, call = '', subject, code, tally, outcomes, today, codes, ended, bodyDigest } = context
    // A stream that has begun has given no risk yet.
    const scored = ended === 'begun' ? undefined : context.scoredRisks
    const answerDigest = context.answerDigest ?? (answer === undefined ? undefined : digestOf(answer))
    const at = this.parts.clock.now()
    const keyId = key?.id ?? null
    // Printed by hand, in a tenth of the time that JSON.stringify takes: every text but the subject is an id, a digest or a name of ours.
    let text = `{"at":"${isoTime(at)}","requestId":"${id.logged}","keyId":${quoted(keyId)},"call":"${call}"`
    if (subject !== undefined) text += `,"subject":${JSON.stringify(subject)}`
    text += `,"status":${status}`
    if (code !== undefined) text += `,"code":"${code}"`
    if (tally !== undefined)
      text += `,"records":${tally.records},"scored":${tally.scored},"problems":${problemsOf(tally)}`
    if (outcomes !== undefined) text += `,"counted":${outcomes.counted},"repeats":${outcomes.repeats}`
    if (outcomes?.sums !== undefined) text += `,"sums":${JSON.stringify(outcomes.sums)}`
    if (scored !== undefined && scored.total > 0) text += `,"riskCounts":${scored.total}`
    if (today !== undefined) text += `,"today":${today}`
    if (codes !== undefined) text += `,"codesDigest":"${codes.digest}","codes":${JSON.stringify(codes.codes)}`
    if (ended !== undefined) text += `,"ended":"${ended}"`
    // Browsers set this header, and pages of other origins cannot: the call came from the page of this service.
    if (context.raw.headers['sec-fetch-site'] === 'same-origin') text += ',"via":"page"'
    text += `,"bodyDigest":${this.sealed(bodyDigest)},"answerDigest":${this.sealed(answerDigest)}`
    text += `,"durationMs":${context.durationMs},${this.sourceOf(context.deployment)}`
    return { at, keyId, text, countedRisks: scored }
  }

  /** The row of a job that has ended. Its records and risks are counted from it, as those of a call are from its own. */
  entryOfJob(job: EndedJob): AuditEntry {
    const { at, requestId, keyId, subject, submitted, code, tally, scored, today, codes, deployment } = job
    let text = `{"at":"${isoTime(at)}","requestId":"${requestId}","keyId":"${keyId}","call":"job end"`
    text += `,"subject":${JSON.stringify(subject)},"submitted":"${submitted}","status":200`
    if (code !== undefined) text += `,"code":"${code}"`
    if (tally !== undefined)
      text += `,"records":${tally.records},"scored":${tally.scored},"problems":${problemsOf(tally)}`
    if (scored !== undefined && scored.total > 0) text += `,"riskCounts":${scored.total}`
    text += `,"today":${today}`
    if (codes !== undefined) text += `,"codesDigest":"${codes.digest}","codes":${JSON.stringify(codes.codes)}`
    text += `,${this.sourceOf(deployment)}`
    return { at, keyId, text, countedRisks: scored }
  }

  private sealed(digest: string | undefined): string {
    return quoted(digest === undefined ? null : this.parts.seal(digest))
  }

  private sourceOf(deployment: Deployment | undefined): string {
    let text = this.sources.get(deployment)
    if (text === undefined) {
      text = JSON.stringify(deployment === undefined ? NO_DEPLOYMENT : describeSource(deployment)).slice(1)
      this.sources.set(deployment, text)
    }
    return text
  }
}

const NO_DEPLOYMENT = { deployment: null, model: null, modelDigest: null, service: SERVICE_VERSION }

/** What produced an answer: the model, the other settings that decide it, and the digest of all of it. */
function describeSource({ name, model, deciding, digest }: Deployment): object {
  return {
    deployment: name,
    deploymentDigest: digest,
    settings: deciding,
    model: `${model.definition.id}@${model.definition.version}`,
    modelDigest: model.digest,
    service: SERVICE_VERSION,
  }
}

function quoted(plain: string | null): string {
  return plain === null ? 'null' : `"${plain}"`
}

/** Problems by kind only: the name of an unknown field is something that a caller has written. */
function problemsOf({ problems }: TallyCounts): string {
  if (problems.size === 0) return '{}'
  const byKind: Record<string, number> = {}
  for (const kinds of problems.values()) {
    for (const [kind, count] of kinds) {
      if (count !== 0) byKind[kind] = (byKind[kind] ?? 0) + count
    }
  }
  return JSON.stringify(byKind)
}
