/** Follows the audit chain row by row, and notes every row that was changed, removed, put in or moved. */
import { digestOf } from '@patient-risk/runtime'
import type { Differences } from './accept-changes.ts'
import { type AuditRow, type ChainEnds, type ChainPoint, contentOf } from './audit-row.ts'
import { type ReadableGroup, rowsOf, unpack } from './read-groups.ts'
import type { TotalsCheck } from './totals-check.ts'
import { endOf, linkRow } from './write-groups.ts'

/** Points that the chain must contain. */
export type Anchors = readonly ChainPoint[]

/** Where the verifying begins, if not with the first row. */
export interface Resumption {
  /** Begins with the group that holds this row. The rows before it are not verified; the hash before the group is trusted. */
  readonly from?: number | undefined
  /** The start of the chain when the rows before `from` were verified. */
  readonly knownStart?: ChainPoint | undefined
}

export interface ChainReport {
  readonly rows: number
  /** The last row that was verified. Kept elsewhere as an anchor, it reveals a chain that was rewritten as a whole. */
  readonly head: ChainPoint
  /** Where the chain begins; undefined for a file. */
  readonly start?: ChainPoint | undefined
  /** The first row that was verified, where rows before it were left out. */
  readonly first?: number | undefined
  /** In the order of the rows. */
  readonly faults: readonly string[]
  /** What differs of counts and keys; undefined where nothing does, and for a file. */
  readonly differences?: Differences | undefined
  /** Rows that say that an operator has accepted such differences. */
  readonly accepted: readonly number[]
}

/** What a row may say about its place in the chain. */
interface Content {
  readonly seq?: unknown
  readonly prev?: unknown
  readonly at?: unknown
  readonly startsAfter?: unknown
  readonly startsAfterHash?: unknown
  readonly partsDigest?: unknown
}

const MOST_FAULTS = 100
/** A text begins with its time. Times of this length are in order as texts too. */
const AT = '{"at":"'
const TIME_LENGTH = '2026-11-15T08:00:00.000Z'.length
/** Members that say more about the chain than a hash does. */
const DECIDING = /"(?:seq|prev|at|startsAfter)"/

export class ChainVerifier {
  private readonly faults: string[] = []
  private readonly missingAnchors: Set<ChainPoint>
  private readonly totals: TotalsCheck | undefined
  private ends: ChainEnds | undefined
  private last: ChainPoint | undefined
  private rows = 0
  private isStartRecorded = true
  /** The first row, where it is not the first of the chain. */
  private first: number | undefined

  constructor(anchors: Anchors = [], totals?: TotalsCheck) {
    this.missingAnchors = new Set(anchors)
    this.totals = totals
  }

  /** The number of the last row. */
  get seq(): number {
    return this.last?.seq ?? 0
  }

  /**
   * Says where the chain begins and ends, and with which row the verifying begins if not with the first. Without it, as for an exported
   * file, the first row is trusted.
   */
  begin(ends: ChainEnds, { from = 0, knownStart }: Resumption = {}): void {
    const { start } = ends
    const isResumed = from > start.seq + 1
    this.ends = ends
    this.first = isResumed ? from : undefined
    this.last = isResumed ? undefined : start
    this.totals?.begin(isResumed)
    // A row before the first one may say that retention removed rows up to the start.
    this.isStartRecorded = start.seq === 0 || (isResumed && isSame(knownStart ?? start, start))
    // Rows that retention has removed, and rows before the first one, are not compared.
    for (const anchor of this.missingAnchors) {
      if (anchor.seq <= start.seq || anchor.seq < (this.first ?? 0)) this.missingAnchors.delete(anchor)
    }
  }

  /** A group that is as it should be is hashed once, and not parsed. The rows of any other are looked at one by one. */
  addGroup(group: ReadableGroup): void {
    const end = this.endOfIntact(group)
    if (end === undefined) {
      for (const row of rowsOf(group)) this.add(row)
      return
    }
    this.rows += group.count
    this.last = end
  }

  add(row: AuditRow): void {
    this.rows++
    const content: Content | undefined = contentOf(row)
    if (this.faults.length < MOST_FAULTS) this.faults.push(...faultsOf(row, content, this.last))
    this.totals?.add(row.seq, row.content)
    const start = this.ends?.start
    if (content?.startsAfter === start?.seq && content?.startsAfterHash === start?.hash) {
      this.isStartRecorded = true
      // Rows of older versions have no digest.
      const { partsDigest = null } = content ?? {}
      if (partsDigest !== null && partsDigest !== digestOf(this.ends?.parts ?? '[]'))
        this.faults.push(`the list of removed parts is not the one that row ${row.seq} has sealed`)
    }
    for (const anchor of this.missingAnchors) {
      if (anchor.seq !== row.seq) continue
      this.missingAnchors.delete(anchor)
      if (anchor.hash !== row.hash) this.faults.push(`row ${row.seq} differs from the anchor`)
    }
    this.last = { seq: row.seq, hash: row.hash }
  }

  report(): ChainReport {
    const { ends, first, last: head = { seq: 0, hash: '' } } = this
    const faults = [...this.faults]
    if (ends !== undefined && first !== undefined && first > ends.head.seq) {
      faults.push(`row ${first} is not in the chain: its recorded head is row ${ends.head.seq}`)
    } else if (ends !== undefined && !isSame(head, ends.head)) {
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
    faults.push(...(this.totals?.faults() ?? []))
    return {
      rows: this.rows,
      head,
      start: ends?.start,
      first,
      faults,
      differences: this.totals?.differences(),
      accepted: this.totals?.acceptedRows ?? [],
    }
  }

  /** Undefined where something is wrong, or where a row must be read: an anchor's, or one that says what the chain depends on. */
  private endOfIntact(group: ReadableGroup): ChainPoint | undefined {
    const before = group.lastSeq - group.count
    let last: ChainPoint = { seq: before, hash: group.prev }
    if (this.last !== undefined && !isSame(last, this.last)) return undefined
    for (const { seq } of this.missingAnchors) {
      if (seq > before && seq <= group.lastSeq) return undefined
    }
    const packed = unpack(group)
    const texts = packed?.split('\n')
    // An escape could hide the name of a member.
    if (texts?.length !== group.count || packed?.includes('\\') === true) return undefined
    let latest = ''
    for (const text of texts) {
      if (!text.startsWith(AT) || DECIDING.test(text.slice(AT.length))) return undefined
      last = linkRow(last, text)
      const at = text.slice(AT.length, AT.length + TIME_LENGTH)
      if (at > latest) latest = at
    }
    const end = endOf(group)
    if (Date.parse(latest) !== group.lastAt || !isSame(last, end)) return undefined
    texts.forEach((text, place) => this.totals?.add(before + 1 + place, text))
    return end
  }
}

function isSame(one: ChainPoint, other: ChainPoint): boolean {
  return one.seq === other.seq && one.hash === other.hash
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
