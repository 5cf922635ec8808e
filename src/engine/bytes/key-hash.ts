/** The table by which the byte reader finds a key that it did not expect. The same arithmetic as in `wasm/key.ts`. */
import { isComparable } from './field-tables.ts'
import type { MemoryImage } from './memory-image.ts'

const SIZE_PER_KEY = 4
const MULTIPLIER = 0x9e3779b97f4a7c15n
const WORD = 0xffffffffffffffffn

export interface KeyHash {
  readonly table: number
  readonly mask: number
}

/** `names` are in the order of the reader's slots. */
export function writeKeyHash(image: MemoryImage, names: readonly string[]): KeyHash {
  let size = 64
  while (size < names.length * SIZE_PER_KEY) size *= 2
  const mask = size - 1
  const table = image.take(size * 2)
  for (let place = 0; place < size; place++) image.view.setInt16(table + place * 2, -1, true)
  names.forEach((name, slot) => {
    if (!isComparable(name)) return
    let place = hashOf(new TextEncoder().encode(name)) & mask
    while (image.view.getInt16(table + place * 2, true) >= 0) place = (place + 1) & mask
    image.view.setInt16(table + place * 2, slot, true)
  })
  return { table, mask }
}

function hashOf(name: Uint8Array): number {
  const first = wordOf(name.subarray(0, 8))
  const last = name.length < 8 ? first : wordOf(name.subarray(-8))
  const mixed = first ^ ((last << 5n) & WORD) ^ (last >> 59n) ^ BigInt(name.length)
  return Number(((mixed * MULTIPLIER) & WORD) >> 40n)
}

/** At most eight bytes as a number, the first byte lowest. */
function wordOf(bytes: Uint8Array): bigint {
  return bytes.reduceRight((word, byte) => (word << 8n) | BigInt(byte), 0n)
}
