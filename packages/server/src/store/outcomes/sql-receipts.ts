/**
 * Receipts: serial numbers by digest and month, and one bit for each number that says whether its answer has an outcome. The bits lie in
 * pages. Bits are only ever set: an answer has its first outcome once.
 */
import type { ReceiptPlace } from 'patient-risk-engine/outcomes'
import type { Query } from '../sql.ts'

/** Receipts of one digest and month. Numbers in a list cross to the thread of the store faster than objects. */
export interface ReceiptSerials {
  readonly digest: string
  readonly month: string
  readonly serials: readonly number[]
}

/** Bits of a page: 512 bytes, which both databases keep in the row. A released number never changes. */
const PAGE_BITS = 4_096
const BYTE_BITS = 8

const RESERVE = `INSERT INTO receipt_serials VALUES ($1, $2, $3) ON CONFLICT (digest_id, month)
  DO UPDATE SET next_serial = receipt_serials.next_serial + $3 RETURNING next_serial AS "nextSerial"`
const WHICH_PAGE = 'digest_id = $1 AND month = $2 AND page = $3'
const ADD_PAGE = 'INSERT INTO outcome_receipts VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING'
const READ_PAGE = `SELECT bits FROM outcome_receipts WHERE ${WHICH_PAGE}`
const WRITE_PAGE = `UPDATE outcome_receipts SET bits = $4 WHERE ${WHICH_PAGE}`

export type DigestIds = (digest: string) => Promise<number | undefined>

export function serialsOf(places: readonly ReceiptPlace[]): readonly ReceiptSerials[] {
  const found = new Map<string, { readonly digest: string; readonly month: string; serials: number[] }>()
  for (const { digest, month, serial } of places) {
    const key = `${digest}\n${month}`
    const known = found.get(key) ?? { digest, month, serials: [] }
    found.set(key, known)
    known.serials.push(serial)
  }
  // In one order, so that two requests never wait for each other.
  const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
  for (const { serials } of sorted) serials.sort((one, other) => one - other)
  return sorted
}

/** Takes so many serial numbers in a row, and returns the first. Nobody else gets them, also after a crash. */
export async function reserveSerials(
  query: Query,
  digestId: number,
  month: string,
  count: number,
): Promise<number> {
  const [row] = await query<{ readonly nextSerial: number }>(RESERVE, digestId, month, count)
  return (row?.nextSerial ?? count) - count
}

/** Those that have an outcome. */
export async function readReceived(
  query: Query,
  receipts: readonly ReceiptSerials[],
  idOf: DigestIds,
): Promise<readonly ReceiptSerials[]> {
  const received: ReceiptSerials[] = []
  for (const { digest, month, serials } of receipts) {
    const id = await idOf(digest)
    const found: number[] = []
    for (const [page, own] of id === undefined ? [] : byPage(serials)) {
      const [row] = await query<{ readonly bits: Uint8Array }>(READ_PAGE, id as number, month, page)
      if (row !== undefined) found.push(...own.filter((serial) => isSet(row.bits, serial)))
    }
    received.push({ digest, month, serials: found })
  }
  return received
}

/** Inside the transaction of the outcomes. Returns false where one of them has an outcome already. */
export async function noteReceived(
  query: Query,
  isConcurrent: boolean,
  receipts: readonly ReceiptSerials[],
  idOf: DigestIds,
): Promise<boolean> {
  for (const { digest, month, serials } of receipts) {
    const id = (await idOf(digest)) as number
    for (const [page, own] of byPage(serials)) {
      await query(ADD_PAGE, id, month, page, new Uint8Array(PAGE_BITS / BYTE_BITS))
      const read = isConcurrent ? `${READ_PAGE} FOR UPDATE` : READ_PAGE
      const [row] = await query<{ readonly bits: Uint8Array }>(read, id, month, page)
      const bits = Uint8Array.from(row?.bits ?? [])
      for (const serial of own) {
        if (isSet(bits, serial)) return false
        const { byte, mask } = placeOf(serial)
        bits[byte] = (bits[byte] as number) | mask
      }
      await query(WRITE_PAGE, id, month, page, bits)
    }
  }
  return true
}

function byPage(serials: readonly number[]): ReadonlyMap<number, readonly number[]> {
  return Map.groupBy(serials, (serial) => Math.floor(serial / PAGE_BITS))
}

function placeOf(serial: number): { readonly byte: number; readonly mask: number } {
  const bit = serial % PAGE_BITS
  return { byte: Math.floor(bit / BYTE_BITS), mask: 1 << (bit % BYTE_BITS) }
}

function isSet(bits: Uint8Array, serial: number): boolean {
  const { byte, mask } = placeOf(serial)
  return ((bits[byte] ?? 0) & mask) !== 0
}
