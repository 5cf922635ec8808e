/** A row of the audit chain: what is said of an answer, and how a row is tied to the one before it. */
import { hash } from 'node:crypto'
import { isoTime } from '../../iso-time.ts'

/** What a row says. Counts, digests and names of the configuration; nothing that a caller has written. */
export interface AuditEntry {
  readonly at: number
  /** In the logged form: a digest where the caller chose the id. */
  readonly requestId: string
  readonly keyId: string | null
  /** The JSON object of everything the row says, without its place in the chain. */
  readonly text: string
}

export interface AuditRow {
  readonly seq: number
  readonly at: number
  readonly requestId: string
  /** The JSON object that the hash is taken over: place, hash of the row before, and what the row says. */
  readonly content: string
  readonly hash: string
}

/** A place in the chain. Number 0 with an empty hash is the place before the first row. */
export interface ChainPoint {
  readonly seq: number
  readonly hash: string
}

export interface ChainEnds {
  /** The last row that retention has removed. */
  readonly start: ChainPoint
  /** The last row. */
  readonly head: ChainPoint
}

/** Rows that retention removes in one transaction, so that answers never wait long behind it. */
export const PRUNE_STEP = 10_000

export function makeEntry(
  facts: { readonly at: number; readonly requestId: string; readonly keyId: string | null } & Readonly<
    Record<string, unknown>
  >,
): AuditEntry {
  const { at, requestId, keyId } = facts
  return { at, requestId, keyId, text: JSON.stringify({ ...facts, at: isoTime(at) }) }
}

/** The row that comes after a point of the chain. */
export function linkRow(head: ChainPoint, entry: AuditEntry): AuditRow {
  const seq = head.seq + 1
  const content = `{"seq":${seq},"prev":"${head.hash}",${entry.text.slice(1)}`
  return { seq, at: entry.at, requestId: entry.requestId, content, hash: hashOf(content) }
}

export function linkRows(head: ChainPoint, entries: readonly AuditEntry[]): readonly AuditRow[] {
  let last = head
  return entries.map((entry) => (last = linkRow(last, entry)))
}

export function hashOf(content: string): string {
  return hash('sha256', content, 'base64')
}

/** The entry that retention leaves in the chain: where the kept rows begin. */
export function retentionEntry(now: number, start: ChainPoint, removed: number): AuditEntry {
  return makeEntry({
    at: now,
    requestId: `retention-${start.seq}`,
    keyId: null,
    call: 'retention',
    removed,
    startsAfter: start.seq,
    startsAfterHash: start.hash,
  })
}
