/**
 * Appends audit rows in two steps. They are durable in a queue of the database before their answers leave: one statement for each
 * commit. Soon after, many at a time, they get their place in the chain.
 */
import { type EntryGroup, groupEntries } from './audit-group.ts'
import type { AuditEntry } from './audit-row.ts'

/** Long enough for the rows of many commits, short enough that a few hundred wait at most. */
const CHAIN_AFTER_MS = 50

/** What a store does in each step. */
interface Steps {
  appendGroup(group: EntryGroup): Promise<void>
  chainQueued(): Promise<void>
}

export class AuditQueue {
  private readonly steps: Steps
  private timer: NodeJS.Timeout | undefined
  /** Whether the last step succeeded. Unknown at first. */
  isHealthy = false

  constructor(steps: Steps) {
    this.steps = steps
  }

  async append(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return
    // Rows that cannot be chained must not pile up.
    if (!this.isHealthy) await this.chain()
    await this.noting(this.steps.appendGroup(groupEntries(entries)))
    this.timer ??= setTimeout(() => void this.chain().catch(() => undefined), CHAIN_AFTER_MS).unref()
  }

  chain(): Promise<void> {
    this.stop()
    return this.noting(this.steps.chainQueued())
  }

  /** Leaves the rows in the queue. */
  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  private async noting(step: Promise<void>): Promise<void> {
    try {
      await step
      this.isHealthy = true
    } catch (error) {
      this.isHealthy = false
      throw error
    }
  }
}
