/** Removes rows of the audit that are older than the configuration keeps them, a step at a time. */
import type { Log } from '../log/log.ts'
import type { Store } from '../store/store.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 3_600_000

/** Starts now and looks again every hour. Returns how to end it. */
export function keepRetention(store: Store, retentionDays: number | null, log: Log): () => void {
  if (retentionDays === null) return () => undefined
  const prune = async (): Promise<void> => {
    try {
      let removed = 0
      for (;;) {
        const now = Date.now()
        const step = await store.pruneAudit(now - retentionDays * DAY_MS, now)
        if (step === 0) break
        removed += step
      }
      if (removed > 0) log.info({ event: 'audit-retention', count: removed })
    } catch {
      log.error({ event: 'audit-retention-failed' })
    }
  }
  void prune()
  const timer = setInterval(() => void prune(), EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
