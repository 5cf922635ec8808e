/**
 * Group commit: items that arrive while one commit is under way are committed together in the next one. A durable commit costs a
 * millisecond or more, whether it holds one row or hundreds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoreError } from './store.ts'

interface Waiting<T> {
  readonly item: T
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface GroupLimits {
  /** Items in one commit. */
  readonly group: number
  /** Items that may wait; beyond it the service sheds load instead of queueing without bound. */
  readonly waiting: number
}

export class GroupCommit<T> {
  private readonly commit: (items: readonly T[]) => Promise<void>
  private readonly limits: GroupLimits
  private waiting: Waiting<T>[] = []
  private isCommitting = false

  constructor(commit: (items: readonly T[]) => Promise<void>, limits: GroupLimits) {
    this.commit = commit
    this.limits = limits
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

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      // Requests that arrived together are handled in one turn of the event loop: their rows share a commit.
      await nextTurn()
      const group = this.waiting.splice(0, this.limits.group)
      try {
        await this.commit(group.map(({ item }) => item))
        for (const { resolve } of group) resolve()
      } catch (error) {
        // Those that waited for their turn fail now as well, and not after another wait for a store that does not answer.
        const failed = [...group, ...this.waiting.splice(0)]
        for (const { reject } of failed) reject(error as Error)
      }
    }
    this.isCommitting = false
  }
}
