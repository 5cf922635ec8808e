/** A walk along the audit chain, row by row: what does not fit is noted in words. */
import { type AuditRow, type ChainEnds, type ChainPoint, hashOf } from './audit-row.ts'

export interface ChainReport {
  readonly rows: number
  /** The last row that was looked at: keep it elsewhere, and a chain that is written anew shows. */
  readonly head: ChainPoint
  /** In words, in the order of the rows. */
  readonly faults: readonly string[]
}

interface Place {
  readonly seq?: unknown
  readonly prev?: unknown
  readonly at?: unknown
  readonly requestId?: unknown
  readonly startsAfter?: unknown
  readonly startsAfterHash?: unknown
}

const MOST_FAULTS = 100

export class ChainWalk {
  private readonly faults: string[] = []
  private readonly anchor: ChainPoint | undefined
  private ends: ChainEnds | undefined
  private last: ChainPoint | undefined
  private rows = 0
  private isStartVouchedFor = true
  private isAnchorSeen: boolean

  constructor(anchor?: ChainPoint) {
    this.anchor = anchor
    this.isAnchorSeen = anchor === undefined
  }

  /** The number of the last row. */
  get seq(): number {
    return this.last?.seq ?? 0
  }

  /** Says where the chain begins and ends. Without it, as for an exported file, the first row is taken at its word. */
  begin(ends: ChainEnds): void {
    this.ends = ends
    this.last = ends.start
    this.isStartVouchedFor = ends.start.seq === 0
    if (this.anchor !== undefined && this.anchor.seq <= ends.start.seq) this.isAnchorSeen = true
  }

  look(row: AuditRow): void {
    this.rows++
    const place = parse(row.content)
    if (this.faults.length < MOST_FAULTS) this.faults.push(...faultsOf(row, place, this.last))
    const start = this.ends?.start
    if (place?.startsAfter === start?.seq && place?.startsAfterHash === start?.hash)
      this.isStartVouchedFor = true
    if (this.anchor?.seq === row.seq) {
      this.isAnchorSeen = true
      if (this.anchor.hash !== row.hash) this.faults.push(`row ${row.seq} is not the one of the anchor`)
    }
    this.last = { seq: row.seq, hash: row.hash }
  }

  report(): ChainReport {
    const { ends, last: head = { seq: 0, hash: '' } } = this
    const faults = [...this.faults]
    if (ends !== undefined && (head.seq !== ends.head.seq || head.hash !== ends.head.hash)) {
      faults.push(
        `the chain ends at row ${head.seq}, and the head names row ${ends.head.seq}: rows are missing`,
      )
    }
    if (!this.isStartVouchedFor) {
      faults.push(`rows up to ${ends?.start.seq ?? 0} are gone, and no row says that retention removed them`)
    }
    if (!this.isAnchorSeen) faults.push(`row ${this.anchor?.seq ?? 0} of the anchor is missing`)
    return { rows: this.rows, head, faults }
  }
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
