/** Verifies the audit chain, and finds every row that was changed, removed, put in or moved. */
import { digestOf } from '../../digest.ts'
import { type AuditRow, type ChainEnds, type ChainPoint, contentOf } from './audit-row.ts'
import { StoreError } from '../../errors.ts'
import type { Store } from '../store.ts'

/** Points that the chain must contain. */
type Anchors = readonly ChainPoint[]

const PAGE = 5_000
/** Smaller than any number in the table, even a forged one. */
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
export async function verifyStore(store: Store, anchors: Anchors = [], most = PAGE): Promise<ChainReport> {
  const verifier = new ChainVerifier(anchors)
  let ends = await store.chainEnds()
  verifier.begin(ends)
  for (let after = BEFORE_ALL; ;) {
    const read = await store.readAudit({ after, most })
    // Rows arrive while the chain is read. Rows after the first head are not verified, only counted by `lastSeq`.
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
  return verifyRows([...(await store.readAudit({ newestFirst: true, most: PAGE }))].reverse())
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

export interface ChainReport {
  readonly rows: number
  /** The last row that was verified. Kept elsewhere as an anchor, it reveals a chain that was rewritten as a whole. */
  readonly head: ChainPoint
  /** In the order of the rows. */
  readonly faults: readonly string[]
}

type Content = Partial<Record<'seq' | 'prev' | 'at' | 'startsAfter' | 'startsAfterHash', unknown>>

const MOST_FAULTS = 100

export class ChainVerifier {
  private readonly faults: string[] = []
  private readonly missingAnchors: Set<ChainPoint>
  private ends: ChainEnds | undefined
  private last: ChainPoint | undefined
  private rows = 0
  private isStartRecorded = true

  constructor(anchors: Anchors = []) {
    this.missingAnchors = new Set(anchors)
  }

  /** The number of the last row. */
  get seq(): number {
    return this.last?.seq ?? 0
  }

  /** Says where the chain begins and ends. Without it, as for an exported file, the first row is trusted. */
  begin(ends: ChainEnds): void {
    this.ends = ends
    this.last = ends.start
    this.isStartRecorded = ends.start.seq === 0
    // Rows that retention has removed cannot be compared any more.
    for (const anchor of this.missingAnchors) {
      if (anchor.seq <= ends.start.seq) this.missingAnchors.delete(anchor)
    }
  }

  add(row: AuditRow): void {
    this.rows++
    const content: Content | undefined = contentOf(row)
    if (this.faults.length < MOST_FAULTS) this.faults.push(...faultsOf(row, content, this.last))
    const start = this.ends?.start
    if (content?.startsAfter === start?.seq && content?.startsAfterHash === start?.hash) {
      this.isStartRecorded = true
    }
    for (const anchor of this.missingAnchors) {
      if (anchor.seq !== row.seq) continue
      this.missingAnchors.delete(anchor)
      if (anchor.hash !== row.hash) this.faults.push(`row ${row.seq} differs from the anchor`)
    }
    this.last = { seq: row.seq, hash: row.hash }
  }

  report(): ChainReport {
    const { ends, last: head = { seq: 0, hash: '' } } = this
    const faults = [...this.faults]
    if (ends !== undefined && (head.seq !== ends.head.seq || head.hash !== ends.head.hash)) {
      faults.push(`the chain ends at row ${head.seq}, but its recorded head is row ${ends.head.seq}`)
    }
    if (ends !== undefined && ends.lastSeq > ends.head.seq) {
      faults.push(
        `rows up to ${ends.lastSeq} stand after the recorded head, row ${ends.head.seq}: they were put in`,
      )
    }
    for (const id of ends?.refused ?? [])
      faults.push(`entry ${id} of the queue was not written by the service: its seal does not fit`)
    if (!this.isStartRecorded) {
      faults.push(`rows up to ${ends?.start.seq ?? 0} are gone, and no row says that retention removed them`)
    }
    for (const { seq } of this.missingAnchors) faults.push(`row ${seq} of the anchor is missing`)
    return { rows: this.rows, head, faults }
  }
}

function* faultsOf(row: AuditRow, content?: Content, last?: ChainPoint): Generator<string> {
  const { seq } = row
  if (last !== undefined && seq !== last.seq + 1) {
    yield `between row ${last.seq} and row ${seq} rows are missing or out of order`
  }
  if (content === undefined) yield `row ${seq} is damaged and cannot be read`
  else if (digestOf(row.content) !== row.hash) {
    yield `row ${seq}, or one chained together with it, was changed: the hash does not fit the content`
  } else if (content.seq !== seq || Date.parse(String(content.at)) !== row.at) {
    yield `row ${seq} was changed or moved: its number or time does not fit the content`
  } else if (last !== undefined && content.prev !== last.hash) {
    yield `row ${seq} does not follow row ${last.seq}: one of them was changed, put in or moved`
  }
}
