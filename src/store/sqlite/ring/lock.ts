/**
 * Holds a ring for this process, as long as the process lives. The lock is one of SQLite's own on an empty file: the system
 * takes it back when the process ends, however it ends.
 */
import { DatabaseSync } from 'node:sqlite'

export class RingLock {
  private readonly database: DatabaseSync

  private constructor(database: DatabaseSync) {
    this.database = database
  }

  /** Undefined where another process has it. */
  static take(ringPath: string): RingLock | undefined {
    const database = new DatabaseSync(`${ringPath}.lock`, { timeout: 0 })
    try {
      database.exec('BEGIN EXCLUSIVE')
      return new RingLock(database)
    } catch {
      database.close()
      return undefined
    }
  }

  release(): void {
    this.database.close()
  }
}
