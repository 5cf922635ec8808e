/** `npm run release`: records the digest of every new clinical file, and refuses one that has changed. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type ClinicalFile, readClinicalFolder } from '@patient-risk/catalog'

const RELEASED = 'clinical/released.json'

/** Every released name, `id@version`, with the digest that its file had. */
export type Digests = Readonly<Record<string, string>>

/** The names of the clinical files as they are now, each with its file and digest. */
export function presentFiles(root: string): ReadonlyMap<string, ClinicalFile> {
  const { fields, contradictions, scales, models } = readClinicalFolder(root)
  const files = new Map<string, ClinicalFile>()
  const add = (file: ClinicalFile | undefined, id?: string): void => {
    const value = file?.value as { id?: unknown; version?: unknown } | undefined
    if (file !== undefined) files.set(`${id ?? String(value?.id)}@${String(value?.version)}`, file)
  }
  add(fields, 'fields')
  add(contradictions, 'contradictions')
  for (const { definition } of [...scales, ...models]) add(definition)
  return files
}

/** Released files whose bytes are no longer what was released. */
export function changedFiles(
  released: Digests,
  present: ReadonlyMap<string, ClinicalFile>,
): readonly string[] {
  return [...present].flatMap(([key, { file, digest }]) =>
    released[key] === undefined || released[key] === digest ? [] : [changeMessage(key, file)],
  )
}

function changeMessage(key: string, file: string): string {
  return [
    `${file} was released as ${key} and has changed since.`,
    'Take the change back, or give it a new version: raise "version" in the file',
    'and, for a scale, in every model that names it under "scales" (which then get new versions too).',
  ].join(' ')
}

export function readReleased(path: string = RELEASED): Digests {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Digests) : {}
}

function release(): number {
  const released = readReleased()
  const present = presentFiles('clinical')
  const changed = changedFiles(released, present)
  if (changed.length > 0) {
    process.stderr.write(`${changed.join('\n')}\nNothing was released.\n`)
    return 1
  }
  const added = [...present].filter(([key]) => released[key] === undefined)
  const all = { ...released, ...Object.fromEntries(added.map(([key, { digest }]) => [key, digest])) }
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(RELEASED, `${JSON.stringify(sorted, null, 2)}\n`)
  process.stdout.write(`${added.length} new, ${Object.keys(sorted).length} released in all.\n`)
  for (const [key] of added) process.stdout.write(`  ${key}\n`)
  return 0
}

if (import.meta.main) process.exitCode = release()
