/**
 * Serial numbers of receipts. A process reserves them in the store in blocks, so that few answers wait for it. What a process that ends has
 * not given away is never used.
 */
import type { Store } from '../../store/store.ts'

/** Numbers that are reserved at a time. */
const BLOCK = 1_024

interface Block {
  next: number
  end: number
}

export class SerialNumbers {
  private readonly store: Pick<Store, 'reserveReceipts'>
  /** By deployment, digest and month. */
  private readonly blocks = new Map<string, Block>()

  constructor(store: Pick<Store, 'reserveReceipts'>) {
    this.store = store
  }

  /** The first of so many numbers in a row, which nobody else gets. */
  async take(deployment: string, digest: string, month: string, count: number): Promise<number> {
    if (count >= BLOCK) return this.store.reserveReceipts(deployment, digest, month, count)
    const key = `${deployment}\n${digest}\n${month}`
    const block = this.blocks.get(key)
    if (block !== undefined && block.end - block.next >= count) return takeOf(block, count)
    const first = await this.store.reserveReceipts(deployment, digest, month, BLOCK)
    const reserved = { next: first, end: first + BLOCK }
    const given = takeOf(reserved, count)
    // What is left of the block before is not used, so that a month has one block at a time.
    this.blocks.set(key, reserved)
    return given
  }
}

function takeOf(block: Block, count: number): number {
  const first = block.next
  block.next += count
  return first
}
