/** Walks the audit chain and finds every row that was changed, removed, put in or moved. */
import type { AuditRow, ChainPoint } from './audit-row.ts'
import { type ChainReport, ChainWalk } from './chain-walk.ts'
import { type Store, StoreError } from '../store.ts'

const PAGE = 5_000

/** Every row of a store, page by page. */
export async function* allRows(store: Store, most = PAGE): AsyncGenerator<AuditRow> {
  for (let after = 0; ;) {
    const page = await store.readAudit({ after, most })
    if (after > 0 && page[0]?.seq !== after + 1 && (await store.chainEnds()).start.seq > after) {
      throw new StoreError('retention has removed rows that were not read yet; read them anew')
    }
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}

/** Verifies what a store holds, from end to end. */
export async function verifyStore(store: Store, anchor?: ChainPoint, most = PAGE): Promise<ChainReport> {
  const walk = new ChainWalk(anchor)
  let ends = await store.chainEnds()
  walk.begin(ends)
  for (let after = 0; ;) {
    const read = await store.readAudit({ after, most })
    // Rows arrive while one reads.
    const page = read.filter(({ seq }) => seq <= ends.head.seq)
    if (page[0]?.seq !== walk.seq + 1 && walk.seq < ends.head.seq) {
      const now = await store.chainEnds()
      // Retention has removed what comes next. It says so in a row before the new head, which is looked for as ever.
      if (now.start.seq > Math.max(walk.seq, ends.start.seq)) {
        ends = now
        walk.begin(ends)
        after = 0
        continue
      }
    }
    if (page.length === 0) return walk.report()
    for (const row of page) walk.look(row)
    after = walk.seq
  }
}

/** Verifies the rows of a file in their order. */
export async function verifyRows(
  rows: AsyncIterable<AuditRow>,
  anchor: ChainPoint | undefined,
): Promise<ChainReport> {
  const walk = new ChainWalk(anchor)
  for await (const row of rows) walk.look(row)
  return walk.report()
}
