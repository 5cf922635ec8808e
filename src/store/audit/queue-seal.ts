/**
 * Queued rows are not in the chain yet, so no hash covers them. Each entry of the queue is sealed with the key secret instead: whoever may
 * write to the database, and does not know the secret, cannot put a row into the chain.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Query } from '../sql.ts'

export class QueueSeal {
  private readonly keys: readonly Buffer[]

  /** The secret that seals, and after it those whose seals are still accepted. */
  constructor(secrets: readonly Uint8Array[]) {
    this.keys = secrets.map((secret) =>
      createHmac('sha256', secret).update('seal of the audit queue').digest(),
    )
  }

  make(texts: string): Uint8Array {
    return sealOf(this.keys[0] as Buffer, texts)
  }

  fits(texts: string, seal: Uint8Array): boolean {
    return this.keys.some((key) => {
      const own = sealOf(key, texts)
      return own.length === seal.length && timingSafeEqual(own, seal)
    })
  }
}

function sealOf(key: Buffer, texts: string): Buffer {
  return createHmac('sha256', key).update(texts).digest()
}

/** For the migration: versions before this one did not seal what they queued. */
export async function sealQueue(query: Query, seal: QueueSeal): Promise<void> {
  const old = await query<{ readonly texts: string }>('SELECT texts FROM audit_queue_0_1 ORDER BY id')
  for (const { texts } of old)
    await query('INSERT INTO audit_queue (texts, seal) VALUES ($1, $2)', texts, seal.make(texts))
}
