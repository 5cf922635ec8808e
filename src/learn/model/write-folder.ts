/**
 * Writes a model's folder whole or not at all: the files lie in a folder of their own until all of them are
 * there, and one rename brings them to their place. Ctrl-C waits for that rename.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DataError } from '../data/data-error.ts'

export function writeFolder(path: string, files: Readonly<Record<string, string>>): void {
  const parent = dirname(path)
  mkdirSync(parent, { recursive: true })
  const wait = (): void => undefined
  process.on('SIGINT', wait)
  process.on('SIGTERM', wait)
  // A name with a dot is passed over by the catalogue, should the machine itself stop here.
  const unfinished = mkdtempSync(join(parent, '.unfinished-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(unfinished, name), text)
    chmodSync(unfinished, 0o755)
    if (existsSync(path)) rmSync(path, { recursive: true })
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw new DataError([
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
    ])
  } finally {
    process.off('SIGINT', wait)
    process.off('SIGTERM', wait)
  }
}

/** One file, whole or not at all. */
export function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.unfinished-${process.pid}`
  try {
    writeFileSync(unfinished, text)
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw new DataError([
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
    ])
  }
}
