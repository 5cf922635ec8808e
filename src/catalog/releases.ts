/** Compares clinical files with `released.json`: a released file never changes, it gets a new version. */
import { type Fault, FaultList } from '../definition/fault.ts'
import type { ClinicalFile, ClinicalFolder } from './read-folder.ts'

/** 32 bytes in base64. */
const DIGEST = /^[A-Za-z0-9+/]{43}=$/

export class Releases {
  private readonly digests = new Map<string, string>()
  private readonly changedShared: string[] = []

  constructor(folders: readonly ClinicalFolder[], faults: Fault[]) {
    for (const { released } of folders) {
      if (released === undefined) continue
      const list = new FaultList(released.file, faults)
      if (typeof released.value !== 'object' || released.value === null || Array.isArray(released.value)) {
        list.add('', 'shape', 'must be an object of digests')
        continue
      }
      for (const [key, digest] of Object.entries(released.value)) this.note(key, digest, list)
    }
    const fields = folders[0]?.fields
    const version = (fields?.value as { version?: unknown } | undefined)?.version
    if (fields !== undefined && typeof version === 'number') this.hold(`fields@${version}`, fields)
  }

  private note(key: string, digest: unknown, faults: FaultList): void {
    const other = this.digests.get(key)
    if (typeof digest !== 'string' || !DIGEST.test(digest))
      faults.add(`/${key}`, 'shape', 'must be a SHA-256 digest in base64')
    else if (other !== undefined && other !== digest) {
      const message = 'another folder has released a different file under this name'
      faults.add(`/${key}`, 'released-twice', message)
    } else this.digests.set(key, digest)
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
