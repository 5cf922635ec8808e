/** Verifies the audit chain row by row, and collects one sentence for everything that does not fit. */
import { type AuditRow, type ChainEnds, type ChainPoint, hashOf } from './audit-row.ts'

export interface ChainReport {
  readonly rows: number
  /** The last row that was verified. Kept elsewhere as an anchor, it reveals a chain that was rewritten as a whole. */
  readonly head: ChainPoint
  /** In the order of the rows. */
  readonly faults: readonly string[]
}

interface Content {
  readonly seq?: unknown
  readonly prev?: unknown
  readonly at?: unknown
  readonly startsAfter?: unknown
  readonly startsAfterHash?: unknown
}

const MOST_FAULTS = 100

export class ChainVerifier {
  private readonly faults: string[] = []
  private readonly anchors: readonly ChainPoint[]
  private readonly missingAnchors: Set<ChainPoint>
  private ends: ChainEnds | undefined
  private last: ChainPoint | undefined
  private rows = 0
  private isStartRecorded = true

  constructor(anchors: readonly ChainPoint[] = []) {
    this.anchors = anchors
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
    for (const anchor of this.anchors) if (anchor.seq <= ends.start.seq) this.missingAnchors.delete(anchor)
  }

  add(row: AuditRow): void {
    this.rows++
    const content = parse(row.content)
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
    if (!this.isStartRecorded) {
      faults.push(`rows up to ${ends?.start.seq ?? 0} are gone, and no row says that retention removed them`)
    }
    for (const { seq } of this.missingAnchors) faults.push(`row ${seq} of the anchor is missing`)
    return { rows: this.rows, head, faults }
  }
}

function faultsOf(
  row: AuditRow,
  content: Content | undefined,
  last: ChainPoint | undefined,
): readonly string[] {
  const faults: string[] = []
  if (last !== undefined && row.seq !== last.seq + 1) {
    faults.push(`between row ${last.seq} and row ${row.seq} rows are missing or out of order`)
  }
  if (content === undefined) {
    faults.push(`row ${row.seq} is damaged and cannot be read`)
  } else if (hashOf(row.content) !== row.hash) {
    faults.push(
      `row ${row.seq}, or one committed together with it, was changed: the hash does not fit the content`,
    )
  } else if (content.seq !== row.seq || Date.parse(String(content.at)) !== row.at) {
    faults.push(`row ${row.seq} was changed or moved: its number or time does not fit the content`)
  } else if (last !== undefined && content.prev !== last.hash) {
    faults.push(`row ${row.seq} does not follow row ${last.seq}: one of them was changed, put in or moved`)
  }
  return faults
}

function parse(content: string): Content | undefined {
  try {
    return JSON.parse(content) as Content
  } catch {
    return undefined
  }
}
