/**
 * Every call to the server goes through here and must end in time. After a call that got no answer the next ones are
 * refused at once for a moment, so that one request never waits for a silent server twice.
 */
import pg from 'pg'
import { ChainError } from '../audit/audit-group.ts'
import { StoreError } from '../store.ts'
import { withinLimit } from '../within-limit.ts'

const LIMIT_MS = 1_000
const PAUSE_MS = 500

export class Gate {
  private closedUntil = 0

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (performance.now() < this.closedUntil) throw new StoreError('PostgreSQL did not answer a moment ago')
    try {
      // The caller gets an error at the limit; a later result is discarded.
      return await withinLimit(work(), LIMIT_MS, 'PostgreSQL did not answer in time')
    } catch (error) {
      if (error instanceof ChainError) throw error
      // The server's code for the kind of error. Its text may quote a row, so it goes no further.
      if (error instanceof pg.DatabaseError) throw new StoreError(`PostgreSQL ${error.code ?? 'error'}`)
      this.closedUntil = performance.now() + PAUSE_MS
      throw error instanceof StoreError ? error : new StoreError('PostgreSQL did not answer')
    }
  }
}
