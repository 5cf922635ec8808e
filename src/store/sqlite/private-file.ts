/** The files of the store are their owner's alone, in whatever folder they lie. */
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
  // Older versions left it to the system who may read them.
  for (const suffix of ['', '-wal', '-shm', '-journal']) tighten(path + suffix)
}

/** Only where it is ours: a command that root runs beside the service has no say in it. */
function tighten(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & OTHERS) === 0 || found.uid !== process.getuid?.()) return
  chmodSync(path, OWNER_ONLY)
}
