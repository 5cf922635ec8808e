/**
 * Group commit: items that arrive while one commit is under way are committed together in the next one. A durable commit costs a
 * millisecond or more, whether it holds one row or hundreds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoreError } from '../errors.ts'

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
    // Requests that arrived together are handled in one turn of the event loop: their rows share a commit.
    await nextTurn()
    let durable: Waiting<T>[] = []
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, this.limits.group)
      // An async function: a store that throws at once fails like one that rejects.
      const commit = (async () => this.commit(group.map(({ item }) => item)))()
      // Only now, so that the store works on the next rows while the answers to the last ones are sent.
      for (const { resolve } of durable) resolve()
      durable = group
      try {
        await commit
      } catch (error) {
        // Those that waited for their turn fail now as well, and not after another wait for a store that does not answer.
        for (const { reject } of [...group, ...this.waiting.splice(0)]) reject(error as Error)
        durable = []
      }
    }
    for (const { resolve } of durable) resolve()
    this.isCommitting = false
  }
}
