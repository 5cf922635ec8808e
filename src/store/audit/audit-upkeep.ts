/** Background work on the audit: reports damage in the newest rows, and removes rows that are older than the configuration keeps them. */
import type { Log } from '../../log/log.ts'
import { verifyNewest } from './verify-chain.ts'
import type { Store } from '../store.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 3_600_000

interface AuditSettings {
  readonly retentionDays?: number | null
}

/** Starts now and looks again every hour. Returns how to end it. */
export function startUpkeep(store: Store, audit: AuditSettings | undefined, log: Log): () => void {
  const { retentionDays } = audit ?? {}
  const look = async (): Promise<void> => {
    await reportDamage(store, log)
    try {
      if (typeof retentionDays === 'number') await prune(store, retentionDays, log)
    } catch {
      log.error({ event: 'audit-retention-failed' })
    }
  }
  void look()
  const timer = setInterval(() => void look(), EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Damage in the newest audit rows does not stop the service, but operators must know. */
async function reportDamage(store: Store, log: Log): Promise<void> {
  try {
    const { faults } = await verifyNewest(store)
    const [reason] = faults
    if (reason !== undefined) log.error({ event: 'audit-damaged', reason, count: faults.length })
    const { refused = [] } = await store.chainEnds()
    if (refused.length > 0) log.error({ event: 'audit-queue-forged', count: refused.length })
    const blocked = await store.health()
    if (blocked !== undefined) log.error({ event: 'audit-not-writable', reason: blocked })
  } catch {
    log.error({ event: 'audit-damaged', reason: 'the newest rows cannot be read' })
  }
}

async function prune(store: Store, retentionDays: number, log: Log): Promise<void> {
  let removed = 0
  for (;;) {
    const now = Date.now()
    const step = await store.pruneAudit(now - retentionDays * DAY_MS, now)
    if (step === 0) break
    removed += step
  }
  if (removed > 0) log.info({ event: 'audit-retention', count: removed })
}
