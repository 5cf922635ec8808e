/** Generated files: written by a script, and kept up to date by a test. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Path and content of every file that a script makes. */
export type Generated = ReadonlyMap<string, string>

/** Writes the files, and removes others in the folders that are no longer generated. */
export function writeGenerated(files: Generated, folders: readonly string[]): void {
  for (const file of strayFiles(files, folders)) rmSync(file)
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  process.stdout.write(`${files.size} files written to ${folders.join(', ')}.\n`)
}

/** Files that differ from what would be written, are not there, or should not be. */
export function staleFiles(files: Generated, folders: readonly string[]): readonly string[] {
  const changed = [...files].filter(
    ([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text,
  )
  return [...changed.map(([file]) => file), ...strayFiles(files, folders)]
}

function strayFiles(files: Generated, folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []))
    .filter((file) => !files.has(file))
}
