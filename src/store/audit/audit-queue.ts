/**
 * Appends audit rows in two steps. They are durable in a queue of the database before their answers leave: one statement for each
 * commit. Soon after, many at a time, they get their place in the chain.
 */
import { type EntryGroup, groupEntries } from './audit-group.ts'
import type { AuditEntry } from './audit-row.ts'

/** Long enough for the rows of many commits, short enough that a few hundred wait at most. */
const CHAIN_AFTER_MS = 50
/** Retry after a failure, so that rows are chained even if no further request comes. */
const AGAIN_AFTER_MS = 1_000

/** What a store does in each step. */
interface Steps {
  appendGroup(group: EntryGroup): Promise<void>
  chainQueued(): Promise<void>
}

export class AuditQueue {
  private readonly steps: Steps
  private timer: NodeJS.Timeout | undefined
  private chaining: Promise<void> | undefined
  private isStopped = false
  /** Whether the last append and the last chaining succeeded: one may work while the other fails. False until the first try. */
  private works = { append: false, chain: false }

  constructor(steps: Steps) {
    this.steps = steps
  }

  get isHealthy(): boolean {
    return this.works.append && this.works.chain
  }

  /** Another try of both steps has succeeded. */
  recover(): void {
    this.works = { append: true, chain: true }
  }

  async append(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return
    // Rows that cannot be chained must not pile up.
    if (!this.works.chain) await (this.chaining ?? this.chain())
    await this.noting('append', this.steps.appendGroup(groupEntries(entries)))
    this.chainAfter(CHAIN_AFTER_MS)
  }

  /** Chains what is queued now. One at a time: a second one would wait for the same lock, with a connection of its own. */
  async chain(): Promise<void> {
    await this.chaining?.catch(() => undefined)
    clearTimeout(this.timer)
    this.timer = undefined
    this.chaining ??= this.noting('chain', this.steps.chainQueued()).finally(() => {
      this.chaining = undefined
    })
    await this.chaining
  }

  /** Leaves the rows in the queue. */
  stop(): void {
    this.isStopped = true
    clearTimeout(this.timer)
  }

  private chainAfter(ms: number): void {
    if (this.isStopped) return
    this.timer ??= setTimeout(() => {
      this.chain().catch(() => this.chainAfter(AGAIN_AFTER_MS))
    }, ms).unref()
  }

  private async noting(kind: keyof AuditQueue['works'], step: Promise<void>): Promise<void> {
    try {
      await step
      this.works[kind] = true
    } catch (error) {
      this.works[kind] = false
      throw error
    }
  }
}
