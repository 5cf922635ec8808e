/**
 * Holds a ring for this process, as long as the process lives. The lock is one of SQLite's own on an empty file: the system
 * takes it back when the process ends, however it ends.
 */
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../store.ts'
import { makePrivate } from '../private-file.ts'

const BUSY = 5

export class RingLock {
  private readonly database: DatabaseSync

  private constructor(database: DatabaseSync) {
    this.database = database
  }

  /** Undefined where another process has it. */
  static take(ringPath: string): RingLock | undefined {
    let database: DatabaseSync | undefined
    try {
      makePrivate(`${ringPath}.lock`)
      database = new DatabaseSync(`${ringPath}.lock`, { timeout: 0 })
      database.exec('BEGIN EXCLUSIVE')
      return new RingLock(database)
    } catch (error) {
      database?.close()
      const { errcode, message } = error as { readonly errcode?: number; readonly message: string }
      if (errcode !== undefined && (errcode & 0xff) === BUSY) return undefined
      throw new StoreError(message)
    }
  }

  release(): void {
    this.database.close()
  }
}
