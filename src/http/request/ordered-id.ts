/**
 * Ids that grow with time: UUIDs of version 7 (RFC 9562). An index over ids in their order is written at its end alone,
 * one over ids by chance all over.
 */
import { randomFillSync } from 'node:crypto'

const RANDOM_BYTES = 10
const pool = new Uint8Array(RANDOM_BYTES * 256)
const HEX = Array.from({ length: 256 }, (_each, byte) => byte.toString(16).padStart(2, '0'))
let next = pool.length
let millisecond = -1
/** The time as it stands in an id, with the digit of the version behind it. */
let printed = ''

export function orderedId(now: number = Date.now()): string {
  if (next === pool.length) {
    randomFillSync(pool)
    next = 0
  }
  if (now !== millisecond) {
    millisecond = now
    const digits = now.toString(16).padStart(12, '0')
    printed = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
  }
  const at = next
  next += RANDOM_BYTES
  const hex = (place: number): string => HEX[pool[at + place] as number] as string
  const variant = HEX[((pool[at + 2] as number) & 0x3f) | 0x80] as string
  return (
    `${printed}${hex(0).slice(1)}${hex(1)}-${variant}${hex(3)}-` +
    `${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
  )
}
