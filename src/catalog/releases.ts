/** Holds clinical files against `released.json`: a released file never changes, it gets a new version. */
import type { Fault } from '../definition/fault.ts'
import type { ClinicalFile, ClinicalFolder } from './read-folder.ts'

export class Releases {
  private readonly digests = new Map<string, string>()
  private readonly changedShared: string[] = []

  constructor(folders: readonly ClinicalFolder[], faults: Fault[]) {
    for (const { released } of folders) {
      if (released === undefined) continue
      if (typeof released.value !== 'object' || released.value === null) {
        faults.push({ file: released.file, path: '', rule: 'shape', message: 'must be an object of digests' })
        continue
      }
      for (const [key, digest] of Object.entries(released.value)) {
        if (typeof digest === 'string') this.digests.set(key, digest)
        else faults.push({ file: released.file, path: `/${key}`, rule: 'shape', message: 'must be a digest' })
      }
    }
    const fields = folders[0]?.fields
    const version = (fields?.value as { version?: unknown } | undefined)?.version
    if (fields !== undefined && typeof version === 'number') this.hold(`fields@${version}`, fields)
  }

  /** What is wrong with a file that was released under this key, or undefined. */
  hold(key: string, file: ClinicalFile): string | undefined {
    const released = this.digests.get(key)
    if (released === undefined || released === file.digest) return undefined
    const message = `${file.file} was released as ${key} and has changed since; a change needs a new version`
    // A changed scale or field reaches every deployment, since each of them judges every field.
    if (!key.includes('.')) this.changedShared.push(message)
    return message
  }

  vouchesFor(key: string, digest: string): boolean {
    return this.digests.get(key) === digest
  }

  /** Changes in files that every deployment rests on. */
  changes(): readonly string[] {
    return this.changedShared
  }
}
