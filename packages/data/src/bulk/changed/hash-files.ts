/** The files that keep what the rows of each input are. Each state of an input has one of its own, so an interrupted run harms none. */
import { hash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { stateOf } from './file-state.ts'
import type { HashFile, ManifestFile } from './manifest.ts'

/** Hidden from those who read all files of the folder. */
export const HASH_FOLDER = '.risk-rows'

/** The name of the file for a state of an input; `state` is everything that its answers follow from. */
export function hashFileFor(name: string, state: readonly unknown[]): string {
  return posix.join(HASH_FOLDER, `${hash('sha256', JSON.stringify([name, ...state]), 'hex')}.parquet`)
}

export async function hashFileAt(folder: string, path: string): Promise<HashFile> {
  return { path, sha256: (await stateOf(join(folder, path)))?.sha256 ?? '' }
}

/** Whether the file is there as it was written. */
export async function isIntact(folder: string, { path, sha256 }: HashFile): Promise<boolean> {
  return (await stateOf(join(folder, path)))?.sha256 === sha256
}

/** Removes the files that no output needs any more, and those of interrupted runs. */
export async function removeUnused(folder: string, files: Iterable<ManifestFile>): Promise<void> {
  const used = new Set<string>()
  for (const { keyed } of files) {
    if (keyed === undefined) continue
    used.add(keyed.hashes.path)
    if (keyed.hashesBefore !== undefined) used.add(keyed.hashesBefore.path)
  }
  const names = await readdir(join(folder, HASH_FOLDER)).catch(() => [])
  for (const name of names) {
    const path = posix.join(HASH_FOLDER, name)
    if (!used.has(path)) await rm(join(folder, path), { force: true })
  }
}
