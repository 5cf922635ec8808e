/**
 * Background work on the audit: keeps the anchor, counts the use, reports damage in the newest rows, and removes rows that are older than
 * the configuration keeps them.
 */
import type { AnchorFile } from './anchor-file.ts'
import type { Log } from '../../log/log.ts'
import { monthStart } from './dropped-parts.ts'
import { withRetries } from './stream-groups.ts'
import { verifyNewest } from './verify-chain.ts'
import type { Store } from '../store.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 3_600_000
const COUNT_EVERY_MS = 10_000
const ANCHOR_EVERY_MS = 1_000

interface AuditSettings {
  readonly retentionDays?: number | null
  readonly retentionMonths?: number | null
}

/** Starts now and looks again every hour. Returns how to end it. */
export function startUpkeep(
  { store, anchorFile }: { readonly store: Store; readonly anchorFile: AnchorFile },
  audit: AuditSettings | undefined,
  log: Log,
): () => void {
  anchorFile.onFailure = (reason) => log.error({ event: 'audit-anchor-failed', reason })
  const anchor = (): void => {
    const known = store.knownChain()
    if (known !== undefined) void anchorFile.write(known)
  }
  let isEnded = false
  const look = async (): Promise<void> => {
    await reportDamage(store, log)
    try {
      await prune(store, audit ?? {}, log)
    } catch {
      log.error({ event: 'audit-retention-failed' })
    }
    await store.tidyAudit(Date.now()).catch(() => log.error({ event: 'audit-tidy-failed' }))
  }
  // Before retention removes rows, and often: a question about the use counts what is left.
  const count = async (): Promise<void> => {
    const some = async (): Promise<boolean> => !isEnded && (await store.countRows())
    try {
      while (await withRetries('counting rows', some));
    } catch {
      if (!isEnded) log.error({ event: 'audit-usage-failed' })
    }
  }
  void reportNoAnchor(store, anchorFile, log)
  void count().then(look)
  const timers = [
    setInterval(() => void look(), EVERY_MS).unref(),
    setInterval(() => void count(), COUNT_EVERY_MS).unref(),
    setInterval(anchor, ANCHOR_EVERY_MS).unref(),
  ]
  return () => {
    isEnded = true
    timers.forEach(clearInterval)
  }
}

/** Without an anchor a store that was replaced is not noticed. Usual at the first start of this version only. */
async function reportNoAnchor(store: Store, anchorFile: AnchorFile, log: Log): Promise<void> {
  const isMissing = anchorFile.read().length === 0
  const ends = await store.chainEnds().catch(() => undefined)
  if (isMissing && (ends?.head.seq ?? 0) > 0) log.error({ event: 'audit-anchor-missing' })
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

async function prune(store: Store, settings: AuditSettings, log: Log): Promise<void> {
  let removed = 0
  for (;;) {
    const now = Date.now()
    const before = keptFrom(settings, now)
    const step = before === undefined ? 0 : await store.pruneAudit(before, now)
    if (step === 0) break
    removed += step
  }
  if (removed > 0) log.info({ event: 'audit-retention', count: removed })
}

/** Rows from this time on are kept; undefined: all of them. With both settings a row is kept as long as one of them says. */
export function keptFrom({ retentionDays, retentionMonths }: AuditSettings, now: number): number | undefined {
  const times = []
  if (typeof retentionDays === 'number') times.push(now - retentionDays * DAY_MS)
  if (typeof retentionMonths === 'number') times.push(monthStart(now, -retentionMonths))
  return times.length === 0 ? undefined : Math.min(...times)
}
