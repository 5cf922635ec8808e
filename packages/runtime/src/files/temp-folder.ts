/**
 * A folder for copies of patient data. It is removed with `remove`, and also when a signal or `process.exit` ends the process.
 * What a process left that was killed, the next one removes.
 */
import { existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileLock, lockFile } from './lock-file.ts'

export interface TempFolder {
  readonly path: string
  remove(): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const PREFIX = 'patient-risk-scratch-'
const LOCK = 'lock'
const GONE = '-gone'
const REMOVAL_MS = 10_000
const MOST_ATTEMPTS = 10

export function makeTempFolder(): TempFolder {
  removeLeft()
  const { path, lock } = makeLocked()
  const remove = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop)
    process.off('exit', remove)
    if (existsSync(path)) removeFolder(path)
    lock.release()
  }
  const stop = (signal: NodeJS.Signals): void => {
    remove()
    process.kill(process.pid, signal)
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  process.on('exit', remove)
  return { path, remove }
}

/**
 * The folder gets another name first: nobody can lock it under its old name then, while the files in it go one by one.
 */
function removeFolder(path: string): void {
  const gone = path.endsWith(GONE) ? path : path + GONE
  if (gone !== path) renameSync(path, gone)
  rmSync(gone, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}

function makeLocked(): { readonly path: string; readonly lock: FileLock } {
  for (let attempt = 1; ; attempt++) {
    const path = mkdtempSync(join(tmpdir(), PREFIX))
    try {
      return { path, lock: lockFolder(path) }
    } catch (error) {
      // Another process that starts just now may have found the folder without its lock, and removes it.
      if (attempt === MOST_ATTEMPTS) throw error
    }
  }
}

function lockFolder(folder: string): FileLock {
  const lock = lockFile(join(folder, LOCK))
  // Another process may have removed the folder with the file that was open here already.
  if (existsSync(folder)) return lock
  lock.release()
  throw new Error('the folder is gone')
}

/** Removes the folders of this user that no process holds. */
function removeLeft(): void {
  const root = tmpdir()
  for (const name of readdirSync(root)) {
    if (!name.startsWith(PREFIX)) continue
    const path = join(root, name)
    try {
      const found = lstatSync(path)
      if (!found.isDirectory() || found.uid !== process.getuid?.()) continue
      // Its owner is removing it. If the owner dies meanwhile, a later process finds it.
      if (name.endsWith(GONE) && Date.now() - found.ctimeMs < REMOVAL_MS) continue
      const lock = lockFolder(path)
      removeFolder(path)
      lock.release()
    } catch {
      // A process is at work in it, or removes it too.
    }
  }
}
