/** Verifies the audit chain of a store, of a file, or of the newest rows. */
import type { AuditRow, ChainEnds } from './audit-row.ts'
import { type Anchors, type ChainReport, ChainVerifier, type Resumption } from './chain-verifier.ts'
import { TotalsCheck } from './totals-check.ts'
import { BEFORE_ALL, rowsOf } from './read-groups.ts'
import { StoreError } from '@patient-risk/runtime'
import { type StreamOptions, streamGroups, withRetries } from './stream-groups.ts'
import type { Store } from '../store.ts'

export interface VerifyOptions extends StreamOptions, Resumption {
  /** Told the number of rows that are done, and of all that are verified. */
  readonly onProgress?: (rows: number, all: number) => void
}

const NEWEST = 5_000

/** Every row of a store, page by page. */
export async function* allRows(store: Store, options: StreamOptions = {}): AsyncGenerator<AuditRow> {
  // Rows in the queue get their place first.
  await store.chainEnds()
  let after = 0
  for await (const page of streamGroups(store, BEFORE_ALL, options)) {
    const rows: readonly AuditRow[] = page.flatMap(rowsOf)
    if (after > 0 && rows[0]?.seq !== after + 1 && (await store.chainEnds()).start.seq > after) {
      throw new StoreError('retention removed rows that were not read yet; run the command again')
    }
    yield* rows
    after = rows.at(-1)?.seq ?? after
  }
}

/** Verifies what a store holds: everything that listing and exporting would show, or what comes after a row. */
export async function verifyStore(
  store: Store,
  anchors: Anchors = [],
  options: VerifyOptions = {},
): Promise<ChainReport> {
  const { from, onRetry, onProgress } = options
  const totals = new TotalsCheck()
  const verifier = new ChainVerifier(anchors, totals)
  const readEnds = (): Promise<ChainEnds> =>
    withRetries('reading the ends of the chain', () => store.chainEnds(), onRetry)
  /** Reads all rows. Returns true where retention has removed some that were not read yet, so that it must begin again. */
  const isCutShort = async (ends: ChainEnds): Promise<boolean> => {
    const isRemoved = async (): Promise<boolean> =>
      (await readEnds()).start.seq > Math.max(verifier.seq, ends.start.seq)
    const before = Math.max(ends.start.seq, (from ?? 1) - 1)
    for await (const read of streamGroups(store, from === undefined ? BEFORE_ALL : from - 1, options)) {
      // Rows arrive while the chain is read. Rows after the first head are not verified, only counted by `lastSeq`.
      const page = read.filter(({ lastSeq }) => lastSeq <= ends.head.seq)
      const [first] = page
      if (first === undefined) break
      if (first.lastSeq - first.count !== verifier.seq && (await isRemoved())) return true
      for (const group of page) verifier.addGroup(group)
      onProgress?.(verifier.seq - before, ends.head.seq - before)
    }
    return verifier.seq < ends.head.seq && isRemoved()
  }
  // After retention a row before the new head must say so; it is looked for as usual.
  for (let isMore = true; isMore;) {
    // Gives rows in the queue their place, so that the totals are those of rows that are read.
    await readEnds()
    const stored = await withRetries('reading the totals', () => store.readTotals(), onRetry)
    totals.use(stored)
    const ends = await readEnds()
    // Where retention has worked in between, the totals do not have what the rows said that it removed.
    if (ends.start.seq !== stored.start) continue
    verifier.begin(ends, options)
    isMore = await isCutShort(ends)
  }
  return verifier.report()
}

/** Verifies the newest rows only, as many as a start has time for. The first of them is trusted. */
export async function verifyNewest(store: Store): Promise<ChainReport> {
  return verifyRows([...(await store.readAudit({ newestFirst: true, most: NEWEST }))].reverse())
}

/** Verifies rows in order, for example those of an exported file. */
export async function verifyRows(
  rows: AsyncIterable<AuditRow> | Iterable<AuditRow>,
  anchors: Anchors = [],
): Promise<ChainReport> {
  const verifier = new ChainVerifier(anchors)
  for await (const row of rows) verifier.add(row)
  return verifier.report()
}
