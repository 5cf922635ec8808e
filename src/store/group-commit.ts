/**
 * Group commit: what arrives while one commit is under way, and in the next turns of the event loop, is committed together
 * in the next. A durable commit costs a millisecond or more, whether it holds one row or hundreds.
 */
import { StoreError } from './store.ts'

/** Turns of the event loop that a commit waits for others: what is ready now and next, and as long as more come. */
const LEAST_TURNS = 2
const MOST_TURNS = 6
/** Turns may be long where large bodies are answered: nobody waits longer for others than this. */
const LONGEST_GATHER_MS = 2

interface Waiting<T> {
  readonly item: T
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export interface GroupLimits {
  /** Items in one commit. */
  readonly group: number
  /** Items that may wait; beyond it the service sheds load instead of queueing without end. */
  readonly waiting: number
}

export class GroupCommit<T> {
  private readonly commit: (items: readonly T[]) => Promise<void>
  private readonly limits: GroupLimits
  private waiting: Waiting<T>[] = []
  private readonly steadyClock: () => number
  private isCommitting = false

  constructor(
    commit: (items: readonly T[]) => Promise<void>,
    limits: GroupLimits,
    steadyClock: () => number = () => performance.now(),
  ) {
    this.commit = commit
    this.limits = limits
    this.steadyClock = steadyClock
  }

  /** Resolves when the item is durable. */
  add(item: T): Promise<void> {
    if (this.waiting.length >= this.limits.waiting) {
      return Promise.reject(new StoreError('too many rows are waiting to be written'))
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject })
      if (this.isCommitting) return
      this.isCommitting = true
      void this.run()
    })
  }

  /** Lets the event loop turn while that brings more: they go into the same commit. */
  private async gather(): Promise<void> {
    const latest = this.steadyClock() + LONGEST_GATHER_MS
    let before = 0
    for (let turns = 0; turns < MOST_TURNS; turns++) {
      const { length } = this.waiting
      if (length >= this.limits.group || (turns >= LEAST_TURNS && length === before)) return
      if (turns > 0 && this.steadyClock() >= latest) return
      before = length
      await turn()
    }
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.gather()
      const group = this.waiting.splice(0, this.limits.group)
      try {
        await this.commit(group.map(({ item }) => item))
        for (const { resolve } of group) resolve()
      } catch (error) {
        // Those behind have waited for a store that does not answer. They are told now, not after another wait.
        const failed = [...group, ...this.waiting.splice(0)]
        for (const { reject } of failed) reject(error as Error)
      }
    }
    this.isCommitting = false
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
