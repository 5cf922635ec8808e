/** Only their owner may read and write the files of the store, in any folder. */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

const OWNER_ONLY = 0o600
const OTHERS = 0o077

/** Creates an empty file if none exists; SQLite uses it as a new database. Files that SQLite adds later get its mode. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // Older versions left the mode to the system.
  for (const suffix of ['', '-wal', '-shm', '-journal']) tighten(path + suffix)
}

/** Only files of this user: a command that root runs beside the service must not change them. */
function tighten(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & OTHERS) === 0 || found.uid !== process.getuid?.()) return
  chmodSync(path, OWNER_ONLY)
}
