/**
 * Large requests with outcomes take turns: the counts of one are added to their tables before the next one is stored. So what waits stays
 * bounded, and between two of its parts the thread of the store writes the audit rows of others.
 */
import { withinLimit } from '@patient-risk/runtime'
import { COUNT_LIMIT_MS } from '../outcomes/sql-outcomes.ts'

export class OutcomeTurns {
  private readonly addSome: () => Promise<boolean>
  private readonly limitMs: number
  private last: Promise<void> = Promise.resolve()

  /** `addSome` adds a part of what waits, and returns whether there may be more. */
  constructor(addSome: () => Promise<boolean>, limitFactor: number) {
    this.addSome = addSome
    this.limitMs = limitFactor * COUNT_LIMIT_MS
  }

  /** Counts in turn. A request whose turn does not come in time is refused, and not begun. */
  take<T>(count: () => Promise<T>): Promise<T> {
    const before = this.last
    const counted = withinLimit(before, this.limitMs, 'the store did not answer in time').then(count)
    this.last = Promise.allSettled([before, counted]).then(() => this.addAll())
    return counted
  }

  private async addAll(): Promise<void> {
    try {
      while (await this.addSome());
    } catch {
      // They are read where they wait, and added later: after the next large request, or within the hour.
    }
  }
}
