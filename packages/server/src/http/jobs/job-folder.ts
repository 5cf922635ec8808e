/**
 * What jobs keep on disk: the pieces of their bodies and results, each in a file of its own, encrypted with the key of the job.
 * Instances on one store share the folder. A piece appears under its name when it is whole.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freeNow, makeFolders, openBytes, sealBytes } from '@patient-risk/runtime'

const OWNER_ONLY = 0o700
const PRIVATE_FILE = 0o600
const ID_BYTES = 16
const ID = /^[0-9a-f]{32}$/
/** An upload that has not moved for so long is over: its process has ended, or a proxy has lost it. */
const ABANDONED_MS = 2 * 3_600_000

/** Names a piece of a job: `in-000001`. */
export function pieceName(kind: string, number: number): string {
  return `${kind}-${String(number).padStart(6, '0')}`
}

export function newJobId(): string {
  return randomBytes(ID_BYTES).toString('hex')
}

export function isJobId(text: string): boolean {
  return ID.test(text)
}

/** The folder of the jobs has no room, or cannot be written to, at the moment. */
export function isOfDisk(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS' || code === 'EACCES'
}

export class JobFolder {
  private readonly root: string

  constructor(root: string) {
    this.root = root
  }

  /** Makes the folder where it is missing. Throws where nothing can be written to it. */
  async open(): Promise<void> {
    makeFolders(this.root, OWNER_ONLY)
    const probe = join(this.root, `probe-${process.pid}`)
    await writeFile(probe, '', { mode: PRIVATE_FILE })
    await rm(probe, { force: true })
  }

  make(id: string): Promise<unknown> {
    return mkdir(join(this.root, id), { mode: OWNER_ONLY })
  }

  /** Returns how many bytes it takes on disk. */
  async write(id: string, name: string, key: Uint8Array, bytes: Uint8Array): Promise<number> {
    const path = join(this.root, id, name)
    // Two workers of one job may write the same piece, one of them without knowing that it has lost the job.
    const temp = `${path}.${randomBytes(4).toString('hex')}`
    const sealed = sealBytes(key, bytes, `${id}/${name}`)
    try {
      await writeFile(temp, sealed, { mode: PRIVATE_FILE, flush: true })
      await rename(temp, path)
    } catch (error) {
      await rm(temp, { force: true }).catch(() => undefined)
      throw error
    }
    const size = sealed.length
    freeNow(sealed)
    return size
  }

  async read(id: string, name: string, key: Uint8Array): Promise<Buffer> {
    const sealed = await readFile(join(this.root, id, name))
    const bytes = openBytes(key, sealed, `${id}/${name}`)
    freeNow(sealed)
    return bytes
  }

  /** After this the names of all pieces survive a power cut. */
  async sync(id: string): Promise<void> {
    for (const path of [join(this.root, id), this.root]) {
      const folder = await open(path, 'r')
      await folder.sync().finally(() => folder.close())
    }
  }

  /** Removes the pieces of a job whose names the filter takes. */
  async removePieces(id: string, isGone: (name: string) => boolean): Promise<void> {
    const names = await readdir(join(this.root, id)).catch(() => [])
    for (const name of names.filter(isGone)) await rm(join(this.root, id, name), { force: true })
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.root, id), { recursive: true, force: true, maxRetries: 3 })
  }

  /** Removes the folders of jobs that the store does not have. Those of uploads under way are left. */
  async removeUnknown(known: ReadonlySet<string>, now: number): Promise<void> {
    for (const id of await readdir(this.root)) {
      if (!isJobId(id) || known.has(id)) continue
      const found = await stat(join(this.root, id)).catch(() => undefined)
      if (found !== undefined && now - found.mtimeMs > ABANDONED_MS) await this.remove(id)
    }
  }
}
