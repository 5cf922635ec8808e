/** A row of the audit chain: what it says about an answer, and its place. */
import { isoTime } from '@patient-risk/runtime'
import { parseJson } from 'patient-risk-engine/read'
import type { Query } from '../sql.ts'
import { type ScoredRisks, mergeScored } from '../outcomes/scored-risks.ts'

const MINUTE_MS = 60_000

/** A row before it has a place in the chain. It holds counts, digests and names of the configuration, and nothing that a caller wrote. */
export interface AuditEntry {
  readonly at: number
  readonly keyId: string | null
  /** The JSON object of everything the row says, on one line, without its place in the chain. */
  readonly text: string
  /** The risks of the answer, where they are counted. */
  readonly countedRisks?: ScoredRisks | undefined
}

/** What must be known of entries to append them. It crosses to the thread of the store faster than many objects. */
export interface EntryGroup {
  /** One text a line: a text is JSON on one line. After them lines of counted risks (`scored-risks.ts`). */
  readonly texts: string
  /** Keys that were used, each with the latest minute. */
  readonly uses: readonly (readonly [keyId: string, minute: number])[]
}

/** Makes rows durable inside a transaction. */
export type QueueRows = (query: Query, group: EntryGroup) => Promise<void>

/** An entry of the queue: the rows of one commit. */
export interface QueueRow {
  readonly id: number
  readonly texts: string
  readonly seal: Uint8Array
}

export interface AuditRow {
  readonly seq: number
  readonly at: number
  /** The JSON text that the hash is taken over. Empty where the stored bytes are damaged and cannot be read. */
  readonly content: string
  /** SHA-256 in base64. */
  readonly hash: string
}

/** A place in the chain. Number 0 with an empty hash is the place before the first row. */
export interface ChainPoint {
  readonly seq: number
  readonly hash: string
}

/** Rows that retention has removed, from the part before up to this point. */
export interface DroppedPart extends ChainPoint {
  /** As in 2026-11, in UTC; empty for what was removed before parts were recorded. */
  readonly month: string
}

export interface ChainEnds {
  /** The last row that retention has removed. */
  readonly start: ChainPoint
  /** The last row, as the chain records it. */
  readonly head: ChainPoint
  /** The highest row number that is stored. Anything else than the head's number means that somebody changed the table. */
  readonly lastSeq: number
  /** The identity of the store. */
  readonly storeId: string
  /** The fingerprint of the key secret in use. */
  readonly inUse: string | null
  /** The last row that the counters of use have. */
  readonly countedSeq: number
  /** What retention has removed, as it is stored: `readParts` reads it. */
  readonly parts: string
  /** Why rows that are still in the queue could not be chained. */
  readonly queueFault?: string | undefined
  /** Entries of the queue that this service did not write. */
  readonly refused?: readonly number[]
}

/** What a process knows of a chain: that of which store, and its ends. */
export type KnownChain = Pick<ChainEnds, 'storeId' | 'inUse' | 'start' | 'head'>

export function makeEntry(
  facts: Omit<AuditEntry, 'text'> & { readonly requestId: string; readonly [fact: string]: unknown },
): AuditEntry {
  const { at, keyId } = facts
  return { at, keyId, text: JSON.stringify({ ...facts, at: isoTime(at) }) }
}

/** The rows of one commit. */
export function groupEntries(entries: readonly AuditEntry[]): EntryGroup {
  const uses = new Map<string, number>()
  for (const { keyId, at } of entries) {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS
    if (keyId !== null && minute > (uses.get(keyId) ?? -1)) uses.set(keyId, minute)
  }
  const scored = mergeScored(entries.flatMap((entry) => entry.countedRisks ?? []))
  const lines = [...entries.map(({ text }) => text), ...scored.map((each) => each.toLine())]
  return { texts: lines.join('\n'), uses: [...uses] }
}

/** The text of a row without its place in the chain; all of it where it does not begin as a row does. */
export function textOf(content: string): string {
  return content.replace(/^\{"seq":\d+,"prev":"[^"]*",/, '{')
}

/** What a row says; undefined where it is damaged. */
export function contentOf({ content }: Pick<AuditRow, 'content'>): object | undefined {
  try {
    return parseJson(content) as object
  } catch {
    return undefined
  }
}

/** The entry that shows when rows could be written again after a failure. */
export function recoveryEntry(now: number): AuditEntry {
  return makeEntry({ at: now, requestId: `recovery-${now}`, keyId: null, call: 'audit recovery' })
}
