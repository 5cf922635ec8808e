/** Walks the audit chain and finds every row that was changed, removed, put in or moved. */
import { type AuditRow, type ChainEnds, type ChainPoint, hashOf } from './audit-row.ts'
import type { Store } from './store.ts'

export interface ChainReport {
  readonly rows: number
  /** The last row that was looked at: keep it elsewhere, and a chain that is written anew shows. */
  readonly head: ChainPoint
  /** In words, in the order of the rows. */
  readonly faults: readonly string[]
}

const PAGE = 5_000
const MOST_FAULTS = 100

interface Place {
  readonly seq?: unknown
  readonly prev?: unknown
  readonly at?: unknown
  readonly requestId?: unknown
  readonly startsAfter?: unknown
  readonly startsAfterHash?: unknown
}

/** Every row of a store, page by page; up to a number, because rows arrive while one reads. */
export async function* allRows(store: Store, upTo = Infinity, after = 0): AsyncGenerator<AuditRow> {
  for (;;) {
    const page = await store.readAudit({ after, most: PAGE })
    for (const row of page) {
      if (row.seq > upTo) return
      yield row
    }
    const last = page.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}

/** Verifies what a store holds, from end to end. */
export async function verifyStore(store: Store, anchor?: ChainPoint): Promise<ChainReport> {
  const ends = await store.chainEnds()
  return verifyRows(allRows(store, ends.head.seq), ends, anchor)
}

/** Verifies rows in their order. Without ends, as for an exported file, the first row is taken at its word. */
export async function verifyRows(
  rows: AsyncIterable<AuditRow>,
  ends?: ChainEnds,
  anchor?: ChainPoint,
): Promise<ChainReport> {
  const faults: string[] = []
  let last: ChainPoint | undefined = ends?.start
  let count = 0
  let isStartVouchedFor = (ends?.start.seq ?? 0) === 0
  let isAnchorSeen = anchor === undefined || anchor.seq <= (ends?.start.seq ?? 0)
  for await (const row of rows) {
    count++
    const place = parse(row.content)
    if (faults.length < MOST_FAULTS) faults.push(...faultsOf(row, place, last))
    if (place?.startsAfter === ends?.start.seq && place?.startsAfterHash === ends?.start.hash)
      isStartVouchedFor = true
    if (anchor?.seq === row.seq) {
      isAnchorSeen = true
      if (anchor.hash !== row.hash) faults.push(`row ${row.seq} is not the one of the anchor`)
    }
    last = { seq: row.seq, hash: row.hash }
  }
  const head = last ?? { seq: 0, hash: '' }
  if (ends !== undefined && (head.seq !== ends.head.seq || head.hash !== ends.head.hash)) {
    faults.push(
      `the chain ends at row ${head.seq}, and the head names row ${ends.head.seq}: rows are missing`,
    )
  }
  if (!isStartVouchedFor) {
    faults.push(`rows up to ${ends?.start.seq ?? 0} are gone, and no row says that retention removed them`)
  }
  if (!isAnchorSeen) faults.push(`row ${anchor?.seq ?? 0} of the anchor is missing`)
  return { rows: count, head, faults }
}

function faultsOf(row: AuditRow, place: Place | undefined, last: ChainPoint | undefined): readonly string[] {
  const faults: string[] = []
  if (last !== undefined && row.seq !== last.seq + 1) {
    faults.push(`between row ${last.seq} and row ${row.seq} rows are missing or out of order`)
  }
  if (hashOf(row.content) !== row.hash || place === undefined) {
    faults.push(`row ${row.seq} was changed: its hash does not fit what it says`)
  } else if (
    place.seq !== row.seq ||
    Date.parse(String(place.at)) !== row.at ||
    place.requestId !== row.requestId
  ) {
    faults.push(`row ${row.seq} was changed or moved: its columns do not fit what it says`)
  } else if (last !== undefined && place.prev !== last.hash) {
    faults.push(`row ${row.seq} does not follow row ${last.seq}: one of them was changed, put in or moved`)
  }
  return faults
}

function parse(content: string): Place | undefined {
  try {
    return JSON.parse(content) as Place
  } catch {
    return undefined
  }
}
