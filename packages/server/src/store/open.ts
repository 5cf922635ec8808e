/** Opens what the service keeps: the secrets of its keys, and the store in the data folder or in PostgreSQL. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders, StoreError } from '@patient-risk/runtime'
import { lossSince } from './audit/anchor.ts'
import { AnchorFile } from './audit/anchor-file.ts'
import { KeySecrets } from './keys/key-secrets.ts'
import { type SqliteOptions, openSqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

export interface OpenStore {
  readonly store: Store
  readonly secrets: KeySecrets
  readonly anchorFile: AnchorFile
}

export interface StoreOptions extends Omit<SqliteOptions, 'secrets'> {
  /** The secret before this one, during a rotation. */
  readonly previousSecret?: string | undefined
  /** Where the newest head is kept; in the data folder where absent. */
  readonly anchorFile?: string | undefined
  /** For commands that look at a store: one that is not that of its anchor is opened too, and the anchor stays as it is. */
  readonly isAnyState?: boolean
  /** Makes a store where there is an anchor and no file any more. */
  readonly mayMake?: boolean
}

/** In the data folder. */
export const STORE_FILE = 'patient-risk.sqlite'
export const SECRET_FILE = 'key-secret'
export const PREVIOUS_SECRET_FILE = 'key-secret-previous'

/** In the data folder too, so that a change from one kind of store to the other is no loss. */
const ANCHOR_FILES = { sqlite: 'anchor-sqlite.ndjson', postgresql: 'anchor-postgresql.ndjson' }

const SECRET_BYTES = 32
const OWNER_ONLY = 0o700

export async function openStore(
  dataDir: string,
  givenSecret: string | undefined,
  databaseUrl?: string,
  options: StoreOptions = {},
): Promise<OpenStore> {
  makeFolder(dataDir)
  const secrets = secretsOf(dataDir, givenSecret, options.previousSecret)
  const kind = databaseUrl === undefined ? 'sqlite' : 'postgresql'
  const anchorFile = new AnchorFile(options.anchorFile ?? join(dataDir, ANCHOR_FILES[kind]))
  const { isAnyState = false, mayMake = false } = options
  const path = join(dataDir, STORE_FILE)
  const newest = anchorFile.read().at(-1)
  const anchor = isAnyState ? undefined : newest
  if (newest !== undefined && databaseUrl === undefined && !mayMake && !existsSync(path))
    throw new StoreError(lossText(anchorFile, `There is no ${path}.`))
  const own = { ...options, secrets: secrets.all }
  const opened =
    databaseUrl === undefined
      ? await openSqliteStore(path, own)
      : // Its packages are some hundred files, so they are loaded only when PostgreSQL is used.
        await (await import('./postgres/postgres-store.ts')).openPostgresStore(databaseUrl, own)
  // Until it is known to be the store of its anchor, and never by a command that only looks.
  let isAnchored = false
  const store: Store = {
    ...opened,
    async close() {
      await opened.close()
      const known = opened.knownChain()
      if (isAnchored && known !== undefined) await anchorFile.write(known)
    },
  }
  try {
    await secrets.refresh(store)
    const loss = anchor && (await lossSince(store, anchor))
    if (loss !== undefined) throw new StoreError(lossText(anchorFile, loss))
    isAnchored = !isAnyState
    return { store, secrets, anchorFile }
  } catch (error) {
    await store.close()
    throw error
  }
}

function lossText({ path }: AnchorFile, loss: string): string {
  return `It is not the store that ${path} describes. ${loss} Restore a newer state, or accept the loss: patient-risk audit accept-loss`
}

/** Secrets that are given come before those of the data folder. */
function secretsOf(
  dataDir: string,
  given: string | undefined,
  givenPrevious: string | undefined,
): KeySecrets {
  if (given === undefined) {
    const kept = keptSecret(join(dataDir, SECRET_FILE))
    const previous = readSecret(join(dataDir, PREVIOUS_SECRET_FILE))
    return new KeySecrets(kept, ...(previous === undefined ? [] : [previous]))
  }
  return new KeySecrets(
    Buffer.from(given),
    ...(givenPrevious === undefined ? [] : [Buffer.from(givenPrevious)]),
  )
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

/** Makes a new secret in the data folder, and keeps the present one beside it. */
export function renewSecret(dataDir: string): void {
  const path = join(dataDir, SECRET_FILE)
  const previous = join(dataDir, PREVIOUS_SECRET_FILE)
  // Kept first: whenever this is interrupted, the secret in use is in one of the files.
  writeWhole(previous, readFileSync(path, 'utf8'))
  writeWhole(path, randomBytes(SECRET_BYTES).toString('hex'))
}

export function dropPreviousSecret(dataDir: string): void {
  rmSync(join(dataDir, PREVIOUS_SECRET_FILE), { force: true })
}

/** Durable before it replaces what was there: half a secret would lock out every key. */
function writeWhole(path: string, text: string): void {
  const temp = `${path}.${process.pid}`
  writeFileSync(temp, text, { mode: 0o600, flush: true })
  renameSync(temp, path)
}

function readSecret(path: string): Uint8Array | undefined {
  try {
    return Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
