/**
 * Writes whole or not at all: files lie under another name until all of them are there, and a rename brings them to
 * their place. Ctrl-C waits for that rename.
 */
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DataError } from '../data/data-error.ts'

/** A folder with its files. */
export function writeFolder(path: string, files: Readonly<Record<string, string>>): void {
  const parent = dirname(path)
  mkdirSync(parent, { recursive: true })
  // A name with a dot is passed over by the catalogue, should the machine itself stop here.
  const unfinished = mkdtempSync(join(parent, '.unfinished-'))
  const write = (at: (path: string) => void): void => {
    at(path)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(unfinished, name), text)
    chmodSync(unfinished, 0o755)
    rmSync(path, { recursive: true, force: true })
    renameSync(unfinished, path)
  }
  undisturbed(write, [unfinished])
}

/** Files that belong together, each at its own path. */
export function writeFiles(files: Readonly<Record<string, string>>): void {
  const paths = Object.keys(files)
  const unfinished = (path: string): string => `${path}.unfinished-${process.pid}`
  const write = (at: (path: string) => void): void => {
    for (const [path, text] of Object.entries(files)) {
      at(path)
      writeFileSync(unfinished(path), text)
    }
    for (const path of paths) {
      at(path)
      renameSync(unfinished(path), path)
    }
  }
  undisturbed(write, paths.map(unfinished))
}

/** The work says at which path it is; where it fails, that path is named and what is unfinished is removed. */
function undisturbed(work: (at: (path: string) => void) => void, unfinished: readonly string[]): void {
  const wait = (): void => undefined
  let at = ''
  process.on('SIGINT', wait)
  process.on('SIGTERM', wait)
  try {
    work((path) => (at = path))
  } catch (error) {
    for (const path of unfinished) rmSync(path, { recursive: true, force: true })
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new DataError([`${at} cannot be written (${code})`])
  } finally {
    process.off('SIGINT', wait)
    process.off('SIGTERM', wait)
  }
}
