/** Opens the data folder: the server's secret and the store in it. */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

export interface OpenStore {
  readonly store: Store
  /** The secret that key digests are made with. */
  readonly secret: Uint8Array
}

const SECRET_BYTES = 32
const OWNER_ONLY = 0o700

export function openStore(dataDir: string, givenSecret: string | undefined): OpenStore {
  mkdirSync(dataDir, { recursive: true, mode: OWNER_ONLY })
  const secret =
    givenSecret === undefined ? keptSecret(join(dataDir, 'key-secret')) : Buffer.from(givenSecret)
  return { store: openSqliteStore(join(dataDir, 'patient-risk.sqlite')), secret }
}

/** The secret of this data folder; made once, readable by its owner alone. */
function keptSecret(path: string): Uint8Array {
  const existing = readSecret(path)
  if (existing !== undefined) return existing
  // Written aside and linked, so that two processes starting at once agree on one whole secret.
  const aside = `${path}.${process.pid}`
  writeFileSync(aside, randomBytes(SECRET_BYTES).toString('hex'), { mode: 0o600 })
  try {
    linkSync(aside, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
  return readSecret(path) as Uint8Array
}

function readSecret(path: string): Uint8Array | undefined {
  try {
    return Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
