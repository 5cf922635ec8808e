/** Reads the whole audit chain and finds every row that was changed, removed, put in or moved. */
import type { AuditRow, ChainPoint } from './audit-row.ts'
import { type ChainReport, ChainVerifier } from './chain-verifier.ts'
import { type Store, StoreError } from '../store.ts'

const PAGE = 5_000
/** Before every number that somebody could have put into the table. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER

/** Every row of a store, page by page. */
export async function* allRows(store: Store, most = PAGE): AsyncGenerator<AuditRow> {
  for (let after = BEFORE_ALL; ;) {
    const page = await store.readAudit({ after, most })
    if (after > 0 && page[0]?.seq !== after + 1 && (await store.chainEnds()).start.seq > after) {
      throw new StoreError('retention removed rows that were not read yet; run the command again')
    }
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}

/** Verifies what a store holds, from end to end: everything that listing and exporting would show. */
export async function verifyStore(
  store: Store,
  anchors: readonly ChainPoint[] = [],
  most = PAGE,
): Promise<ChainReport> {
  const verifier = new ChainVerifier(anchors)
  let ends = await store.chainEnds()
  verifier.begin(ends)
  for (let after = BEFORE_ALL; ;) {
    const read = await store.readAudit({ after, most })
    // Rows arrive while the chain is read. Those after the head of the beginning are not verified, only counted by `lastSeq`.
    const page = read.filter(({ seq }) => seq <= ends.head.seq)
    if (page[0]?.seq !== verifier.seq + 1 && verifier.seq < ends.head.seq) {
      const now = await store.chainEnds()
      // Retention has removed the next rows. A row before the new head must say so, and is looked for as usual.
      if (now.start.seq > Math.max(verifier.seq, ends.start.seq)) {
        ends = now
        verifier.begin(ends)
        after = BEFORE_ALL
        continue
      }
    }
    if (page.length === 0) return verifier.report()
    for (const row of page) verifier.add(row)
    after = verifier.seq
  }
}

/** Verifies the newest rows only, as many as a start has time for. The first of them is trusted. */
export async function verifyNewest(store: Store): Promise<ChainReport> {
  const verifier = new ChainVerifier()
  const rows = await store.readAudit({ newestFirst: true, most: PAGE })
  for (const row of [...rows].reverse()) verifier.add(row)
  return verifier.report()
}

/** Verifies the rows of a file in their order. */
export async function verifyRows(
  rows: AsyncIterable<AuditRow>,
  anchors: readonly ChainPoint[],
): Promise<ChainReport> {
  const verifier = new ChainVerifier(anchors)
  for await (const row of rows) verifier.add(row)
  return verifier.report()
}
