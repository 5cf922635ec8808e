/**
 * A lock that the system gives back when its process ends, however that ends. A process id in a file may be that of another process by
 * then, or of one in another container; Node itself has no lock on files, and SQLite's is one.
 */
import { DatabaseSync } from 'node:sqlite'

/** The codes of SQLite for a lock that another process, or another part of this one, holds. */
const BUSY: readonly number[] = [5, 6]

export interface FileLock {
  release(): void
}

/** Makes the file where it is missing, and leaves it empty. Throws what SQLite throws; see `isHeld`. */
export function lockFile(path: string): FileLock {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw error
  }
  return {
    release() {
      if (lock.isOpen) lock.close()
    },
  }
}

/** Whether `lockFile` has failed because somebody else holds the lock. */
export function isHeld(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode === 'number' && BUSY.includes(errcode & 0xff)
}
