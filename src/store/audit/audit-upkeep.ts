/**
 * Background work on the audit: reports damage at the start, removes rows that are older than the configuration keeps them, and
 * writes an anchor a day.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import type { Log } from '../../log/log.ts'
import { type Anchor, takeAnchor } from './anchor.ts'
import { verifyNewest } from './verify-chain.ts'
import type { Store } from '../store.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 3_600_000
const DATE_LENGTH = '2026-11-15'.length

interface AuditSettings {
  readonly retentionDays?: number | null
  readonly anchorFile?: string
}

/** Starts now and looks again every hour. Returns how to end it. */
export function startUpkeep(store: Store, audit: AuditSettings | undefined, log: Log): () => void {
  const { retentionDays, anchorFile } = audit ?? {}
  const run = async (): Promise<void> => {
    try {
      if (typeof retentionDays === 'number') await prune(store, retentionDays, log)
    } catch {
      log.error({ event: 'audit-retention-failed' })
    }
    try {
      if (anchorFile !== undefined) await writeAnchor(store, anchorFile, Date.now())
    } catch (error) {
      // The code alone: the message of a file error names the path.
      log.error({ event: 'audit-anchor-failed', reason: (error as NodeJS.ErrnoException).code ?? 'store' })
    }
  }
  void reportDamage(store, log)
  void run()
  const timer = setInterval(() => void run(), EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Damage in the newest audit rows does not stop the service, but operators must know. */
async function reportDamage(store: Store, log: Log): Promise<void> {
  try {
    const { faults } = await verifyNewest(store)
    const [reason] = faults
    if (reason !== undefined) log.error({ event: 'audit-damaged', reason, count: faults.length })
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

/** One a day: several processes look at the last line. A second anchor of the same day does no harm. */
export async function writeAnchor(store: Store, path: string, now: number): Promise<boolean> {
  const anchor = await takeAnchor(store, now)
  if (lastDay(path) === anchor.at.slice(0, DATE_LENGTH)) return false
  appendFileSync(path, `${JSON.stringify(anchor)}\n`, { mode: 0o644 })
  return true
}

function lastDay(path: string): string | undefined {
  try {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    return (JSON.parse(lines[lines.length - 1] ?? '') as Partial<Anchor>).at?.slice(0, DATE_LENGTH)
  } catch {
    // No file yet, or a line that is not an anchor.
    return undefined
  }
}
