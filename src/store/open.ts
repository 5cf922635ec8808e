/** Opens what the service keeps: the server's secret, and the store in the data folder or in PostgreSQL. */
import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from '../files/make-folders.ts'
import { fingerprintOf } from './keys/keys.ts'
import { type SqliteOptions, openSqliteStore } from './sqlite/sqlite-store.ts'
import { StoreError } from '../errors.ts'
import type { Store } from './store.ts'

export interface OpenStore {
  readonly store: Store
  /** The secret that key digests are made with. */
  readonly secret: Uint8Array
}

/** In the data folder. */
export const STORE_FILE = 'patient-risk.sqlite'
export const SECRET_FILE = 'key-secret'

const SECRET_BYTES = 32
const OWNER_ONLY = 0o700
const OTHER_SECRET =
  'The keys in this store were made with another key secret. Give every process the same KEY_SECRET, ' +
  'or restore the file key-secret of the data folder.'

export async function openStore(
  dataDir: string,
  givenSecret: string | undefined,
  databaseUrl?: string,
  options: SqliteOptions = {},
): Promise<OpenStore> {
  makeFolder(dataDir)
  const secret = givenSecret === undefined ? keptSecret(join(dataDir, SECRET_FILE)) : Buffer.from(givenSecret)
  const store =
    databaseUrl === undefined
      ? await openSqliteStore(join(dataDir, STORE_FILE), options)
      : // Its packages are some hundred files, so they are loaded only when PostgreSQL is used.
        await (await import('./postgres/postgres-store.ts')).openPostgresStore(databaseUrl, options.onCall)
  const own = fingerprintOf(secret)
  if ((await store.secretFingerprint(own)) !== own) {
    await store.close()
    throw new StoreError(OTHER_SECRET)
  }
  return { store, secret }
}

function makeFolder(dataDir: string): void {
  try {
    makeFolders(dataDir, OWNER_ONLY)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StoreError(
      `The data folder ${dataDir} cannot be made (${code}). Set DATA_DIR to a folder that this user may write.`,
    )
  }
}

/** The secret of this data folder; made once, readable by its owner alone. */
function keptSecret(path: string): Uint8Array {
  const existing = readSecret(path)
  if (existing !== undefined) return existing
  // Written to a temporary file and linked, so that two processes starting at once agree on one whole secret.
  const temp = `${path}.${process.pid}`
  writeFileSync(temp, randomBytes(SECRET_BYTES).toString('hex'), { mode: 0o600 })
  try {
    linkSync(temp, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temp, { force: true })
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
