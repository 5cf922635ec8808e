/** Writes one audit row for each answer, refusals too, before its bytes leave. An answer without a row is not given. */
import type { Deployment } from '../../catalog/deployment.ts'
import type { Clock } from '../../clock.ts'
import type { TallyCounts } from '../../engine/tally.ts'
import type { Log } from '../../log/log.ts'
import { type Seal, digestOf } from '../../digest.ts'
import { type AuditEntry, makeEntry } from '../../store/audit/audit-row.ts'
import type { Store } from '../../store/store.ts'
import { packageVersion } from '../../files/package-version.ts'
import type { RequestContext } from '../request/request-context.ts'

const SERVICE_VERSION = packageVersion()

interface RecorderParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly seal: Seal
}

export class AuditRecorder {
  private readonly parts: RecorderParts
  /** The part that all rows of a deployment share, as JSON: it is printed once, not for every row. */
  private readonly sources = new Map<Deployment | undefined, string>()

  constructor(parts: RecorderParts) {
    this.parts = parts
  }

  /** Records an answer that is about to leave; resolves when the row is durable, with false when it cannot be written. */
  async record(context: RequestContext, status: number, answer?: Uint8Array | string): Promise<boolean> {
    try {
      await this.parts.store.appendAudit([this.entryOf(context, status, answer)])
      return true
    } catch (error) {
      const reason = (error as Error).message
      this.parts.log.error({ event: 'audit-failed', requestId: context.id.logged, reason })
      return false
    }
  }

  private entryOf(context: RequestContext, status: number, answer?: Uint8Array | string): AuditEntry {
    const { clock, seal } = this.parts
    const { call, deployment, key, code, tally, today, bodyDigest, ended, subject } = context
    const answerDigest = context.answerDigest ?? (answer === undefined ? undefined : digestOf(answer))
    const facts = {
      at: clock.now(),
      requestId: context.id.logged,
      keyId: key?.id ?? null,
      call,
      subject,
      status,
      code,
      records: tally?.records,
      scored: tally?.scored,
      problems: tally === undefined ? undefined : problemsOf(tally),
      today,
      ended,
      // Browsers set this header, and pages of other origins cannot: the call came from the page of this service.
      via: context.raw.headers['sec-fetch-site'] === 'same-origin' ? 'page' : undefined,
      bodyDigest: bodyDigest === undefined ? null : seal(bodyDigest),
      answerDigest: answerDigest === undefined ? null : seal(answerDigest),
      durationMs: context.durationMs,
    }
    return makeEntry(facts, this.sourceOf(deployment))
  }

  private sourceOf(deployment: Deployment | undefined): string {
    let text = this.sources.get(deployment)
    if (text === undefined) {
      text = JSON.stringify(deployment === undefined ? NO_DEPLOYMENT : describeSource(deployment))
      this.sources.set(deployment, text)
    }
    return text
  }
}

const NO_DEPLOYMENT = { deployment: null, model: null, modelDigest: null, service: SERVICE_VERSION }

/** What produced an answer: the model, and the other settings that decide it. */
function describeSource({ name, model, output, unknownFields, limits }: Deployment): object {
  return {
    deployment: name,
    settings: {
      output: output.kind,
      threshold: output.kind === 'yes-no' ? output.threshold : undefined,
      unknownFields: unknownFields === 'report' ? unknownFields : undefined,
      keysPerRecord: limits.keysPerRecord,
    },
    model: `${model.definition.id}@${model.definition.version}`,
    modelDigest: model.digest,
    service: SERVICE_VERSION,
  }
}

/** Problems by kind only: the name of an unknown field is something that a caller has written. */
function problemsOf({ problems }: TallyCounts): Readonly<Record<string, number>> {
  const byKind: Record<string, number> = {}
  for (const kinds of problems.values()) {
    for (const [kind, count] of kinds) if (count !== 0) byKind[kind] = (byKind[kind] ?? 0) + count
  }
  return byKind
}
