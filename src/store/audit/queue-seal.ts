/**
 * Queued rows are not in the chain yet, so no hash covers them. Each entry of the queue is sealed with the key secret instead: whoever may
 * write to the database, and does not know the secret, cannot put a row into the chain.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { fingerprintOf } from '../keys/key-secrets.ts'
import type { Query } from '../sql.ts'

/** An entry of the queue: the rows of one commit. */
export interface QueueRow {
  readonly id: number
  readonly texts: string
  readonly seal: Uint8Array
}

export class QueueSeal {
  private readonly keys: ReadonlyMap<string, Buffer>

  /** The secrets of this process, the newest first. What any of them has sealed is accepted. */
  constructor(secrets: readonly Uint8Array[]) {
    this.keys = new Map(secrets.map((secret) => [fingerprintOf(secret), keyOf(secret)]))
  }

  /** With the secret that the store names as the one in use, so that every process can check it; else with the newest. */
  make(texts: string, inUse: string | null): Uint8Array {
    const [newest] = this.keys.values()
    return sealOf((this.keys.get(inUse ?? '') ?? newest) as Buffer, texts)
  }

  fits(texts: string, seal: Uint8Array): boolean {
    return [...this.keys.values()].some((key) => {
      const own = sealOf(key, texts)
      return own.length === seal.length && timingSafeEqual(own, seal)
    })
  }
}

function keyOf(secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update('seal of the audit queue').digest()
}

function sealOf(key: Buffer, texts: string): Buffer {
  return createHmac('sha256', key).update(texts).digest()
}

/** For the migration: versions before this one did not seal what they queued. */
export async function sealQueue(query: Query, seal: QueueSeal): Promise<void> {
  const sql =
    'SELECT texts, secret_fingerprint AS "inUse" FROM audit_queue_0_1, chain ORDER BY audit_queue_0_1.id'
  const old = await query<{ readonly texts: string; readonly inUse: string | null }>(sql)
  for (const { texts, inUse } of old)
    await query('INSERT INTO audit_queue (texts, seal) VALUES ($1, $2)', texts, seal.make(texts, inUse))
}
