/**
 * An anchor is the head of the audit chain at some time. Keep it where nobody who may write to the store can write. A chain that was
 * cut or rewritten after that no longer contains it.
 */
import { type ChainPoint, type KnownChain, contentOf } from './audit-row.ts'
import { StoreError } from '@patient-risk/runtime'
import type { Store } from '../store.ts'

export interface Anchor {
  readonly at: string
  /** The number of the last row. */
  readonly head: number
  /** Rows that were stored. */
  readonly rows: number
  /** The hash of the last row, which covers all rows before it. */
  readonly digest: string
  /** The identity of the store. Anchors of 0.1.0 have none. */
  readonly store?: string | undefined
}

export interface StoreAnchor extends ChainPoint, Pick<Anchor, 'store'> {
  readonly at?: string
}

export type Ends = Pick<KnownChain, 'storeId' | 'start' | 'head'>

/** The anchor of a chain with these ends. */
export function anchorOf(
  { start, head, storeId }: Ends,
  now: number = Date.now(),
): Anchor & { readonly store: string } {
  const at = new Date(now).toISOString()
  return { at, head: head.seq, rows: head.seq - start.seq, digest: head.hash, store: storeId }
}

/** Says what was lost where the store is not the one of an anchor, or an older state of it. */
export async function lossSince(store: Store, anchor: StoreAnchor): Promise<string | undefined> {
  const { head, storeId } = await store.chainEnds()
  const { seq, hash, at = 'an earlier time' } = anchor
  if (anchor.store !== undefined && anchor.store !== storeId) return 'It is another store.'
  if (seq > head.seq)
    return `It ends at row ${head.seq}, but had row ${seq} at ${at}. Rows and changes of keys since then are lost.`
  const [row] = await store.readAudit({ after: seq - 1, most: 1 })
  // A damaged row is no other row: the service logs it and goes on.
  if (row?.seq === seq && (row.hash === hash || row.content === '')) return undefined
  // Rows that retention has removed, also meanwhile, cannot be compared.
  if ((await store.chainEnds()).start.seq >= seq) return undefined
  return `Its row ${seq} is not the one of ${at}.`
}

/** An anchor as one line: the object, or NUMBER:DIGEST as `audit verify` prints it. */
export function readAnchor(line: string): StoreAnchor {
  const short = /^(\d{1,15}):([A-Za-z0-9+/]{43}=)$/.exec(line.trim())
  if (short !== null) return { seq: Number(short[1]), hash: short[2] ?? '' }
  const { at, head, digest, store } = (contentOf({ content: line }) ?? {}) as Anchor
  if (Number.isSafeInteger(head) && typeof digest === 'string') return { seq: head, hash: digest, at, store }
  throw new StoreError('an anchor is NUMBER:DIGEST, or a line that "audit anchor" has printed')
}

/** Every anchor of a file that has one a line. */
export function readAnchors(text: string): readonly StoreAnchor[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readAnchor(line)]))
}
