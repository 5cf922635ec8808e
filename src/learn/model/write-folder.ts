/**
 * Writes whole or not at all: files lie under another name until all of them are there, and a rename brings them to
 * their place. Ctrl-C waits for that rename.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DataError } from '../data/data-error.ts'

/** A folder with its files. */
export function writeFolder(path: string, files: Readonly<Record<string, string>>): void {
  const parent = dirname(path)
  mkdirSync(parent, { recursive: true })
  undisturbed(() => {
    // A name with a dot is passed over by the catalogue, should the machine itself stop here.
    const unfinished = mkdtempSync(join(parent, '.unfinished-'))
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(unfinished, name), text)
      chmodSync(unfinished, 0o755)
      if (existsSync(path)) rmSync(path, { recursive: true })
      renameSync(unfinished, path)
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true })
      throw refusal(path, error)
    }
  })
}

/** Files that belong together, each at its own path. */
export function writeFiles(files: Readonly<Record<string, string>>): void {
  undisturbed(() => {
    const unfinished = (path: string): string => `${path}.unfinished-${process.pid}`
    let at = ''
    try {
      for (const [path, text] of Object.entries(files)) {
        at = path
        writeFileSync(unfinished(path), text)
      }
      for (const path of Object.keys(files)) {
        at = path
        renameSync(unfinished(path), path)
      }
    } catch (error) {
      for (const path of Object.keys(files)) rmSync(unfinished(path), { force: true })
      throw refusal(at, error)
    }
  })
}

function undisturbed(work: () => void): void {
  const wait = (): void => undefined

  process.on('SIGINT', wait)
  process.on('SIGTERM', wait)
  try {
    work()
  } finally {
    process.off('SIGINT', wait)
    process.off('SIGTERM', wait)
  }
}

function refusal(path: string, error: unknown): DataError {
  return new DataError([
    `${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
  ])
}
