/** What a row of the audit says, without its place in the chain. */
import { type AuditRow, contentOf } from './audit-row.ts'

/** The members of a row's text that are read outside the chain. */
export interface AuditFacts {
  readonly seq: number
  readonly at: string
  readonly requestId: string
  readonly keyId: string | null
  readonly call: string
  readonly subject?: string
  readonly deployment?: string | null
  readonly model?: string | null
  readonly status?: number
  readonly code?: string
  /** Of a stream: that it has begun, or how it ended. */
  readonly ended?: string
  /** `page` where a browser made the call from a page of the service itself. */
  readonly via?: string
  readonly records?: number
  readonly scored?: number
  /** Of a call with outcomes: elements that were counted, and those that had been counted before. */
  readonly counted?: number
  readonly repeats?: number
  readonly problems?: Readonly<Record<string, number>>
  /** Of the codes of the key, where it had its own. */
  readonly codesDigest?: string
  readonly durationMs?: number
}

/** In the order in which they are shown. */
const FACTS = (
  'seq at requestId keyId call subject deployment model status code ended via records scored ' +
  'counted repeats problems codesDigest durationMs'
).split(' ') as readonly (keyof AuditFacts)[]

export function factsOf(row: Pick<AuditRow, 'seq' | 'content'>): AuditFacts {
  // A damaged row is reported by `audit verify`; here it has no facts.
  const damaged: AuditFacts = { seq: row.seq, at: '', requestId: '', keyId: null, call: 'damaged' }
  const known = { ...damaged, ...contentOf(row) }
  return Object.fromEntries(
    FACTS.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]])),
  ) as unknown as AuditFacts
}
