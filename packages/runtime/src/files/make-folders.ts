/** Makes a folder and its parents. Node's recursive mkdir never ends below /proc, where it gets ENOENT though the parent exists. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Returns the folders that were made, the innermost first. */
export function makeFolders(path: string, mode?: number): readonly string[] {
  const parent = dirname(path)
  const above = parent === path || existsSync(parent) ? [] : makeFolders(parent, mode)
  try {
    mkdirSync(path, { mode })
    return [path, ...above]
  } catch (error) {
    // It was there, or another process has just made it.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return above
    throw error
  }
}
