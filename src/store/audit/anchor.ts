/**
 * An anchor is the head of the audit chain at some time. Keep it where nobody who may write to the store can write. A chain that was
 * cut or rewritten after that no longer contains it.
 */
import type { ChainPoint } from './audit-row.ts'
import { StoreError } from '../../errors.ts'
import type { Store } from '../store.ts'

export interface Anchor {
  readonly at: string
  /** The number of the last row. */
  readonly head: number
  /** Rows that were stored. */
  readonly rows: number
  /** The hash of the last row, which covers all rows before it. */
  readonly digest: string
}

export async function takeAnchor(store: Store, now: number): Promise<Anchor> {
  const { start, head } = await store.chainEnds()
  return { at: new Date(now).toISOString(), head: head.seq, rows: head.seq - start.seq, digest: head.hash }
}

/** An anchor as one line: the object, or NUMBER:DIGEST as `audit verify` prints it. */
export function readAnchor(line: string): ChainPoint {
  const short = /^(\d{1,15}):([A-Za-z0-9+/]{43}=)$/.exec(line.trim())
  if (short !== null) return { seq: Number(short[1]), hash: short[2] ?? '' }
  try {
    const { head, digest } = JSON.parse(line) as Partial<Anchor>
    if (Number.isSafeInteger(head) && typeof digest === 'string') return { seq: head as number, hash: digest }
  } catch {
    // Reported below.
  }
  throw new StoreError('an anchor is NUMBER:DIGEST, or a line that "audit anchor" has printed')
}

/** Every anchor of a file that has one a line. */
export function readAnchors(text: string): readonly ChainPoint[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readAnchor(line)]))
}
