/** Opens each kind of store for the tests of the contract that all of them keep. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestFn, after, before, describe, test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type AuditEntry, type AuditRow, makeEntry } from '../../../src/store/audit/audit-row.ts'
import { makeKey } from '../../../src/store/keys/keys.ts'
import { type OpenStore, openStore } from '../../../src/store/open.ts'
import type { KeySecrets } from '../../../src/store/keys/key-secrets.ts'
import type { Store, StoredKey } from '../../../src/store/store.ts'
import { startShared } from '../../../../../test/support/shared-store-threads.ts'
import { UNHURRIED } from '../../../../../test/support/unhurried.ts'
import { needsPostgres, useDatabases } from '../../../../../test/support/postgres-server.ts'

interface Place {
  /** With `isAnyState`, as a command that looks at a store opens it. */
  open(secret?: string, previousSecret?: string, isAnyState?: boolean): Promise<OpenStore>
  /** Whether several processes count in this store. */
  readonly countsForSeveral: boolean
  /** Runs a statement without the store, as somebody who tampers with it would. */
  tamper(sql: string): Promise<void>
}

/** What the tests of one kind of store share. It is there when the first test begins. */
export interface GivenStore {
  readonly place: Place
  readonly store: Store
  readonly secrets: KeySecrets
  /** A place of the same kind without any data. */
  readonly newPlace: () => Promise<Place>
}

type DefineTest = (name: string, run: TestFn) => void

/** The same tests on every kind of store. They are defined by the given function, which skips those of a store that cannot be had. */
export function onEachStore(tests: (given: GivenStore, test: DefineTest) => void): void {
  const newDatabase = useDatabases()
  const folders: string[] = []
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'patient-risk-store-'))
    folders.push(folder)
    return folder
  }
  const places: Readonly<Record<string, () => Promise<Place>>> = {
    SQLite: () => Promise.resolve(sqlitePlace(newFolder())),
    PostgreSQL: async () => postgresPlace(newFolder(), await newDatabase()),
  }
  for (const [name, newPlace] of Object.entries(places)) {
    describe(name, () => {
      // Filled by the hook below, before the first test reads it.
      const given = { newPlace } as { -readonly [Part in keyof GivenStore]?: GivenStore[Part] }
      const needs = name === 'PostgreSQL' ? needsPostgres() : { skip: false }
      before(async () => {
        if (needs.skip !== false) return
        given.place = await newPlace()
        Object.assign(given, await given.place.open())
      })
      after(() => given.store?.close())
      tests(given as GivenStore, (title, run) => void test(title, needs, run))
    })
  }
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
}

function sqlitePlace(folder: string): Place {
  return {
    countsForSeveral: false,
    open: (secret, previousSecret, isAnyState = false) =>
      openStore(folder, secret, undefined, {
        ...UNHURRIED,
        startThread: startShared,
        previousSecret,
        isAnyState,
      }),
    tamper(sql) {
      const database = new DatabaseSync(join(folder, 'patient-risk.sqlite'), { timeout: 5_000 })
      database.exec(sql)
      database.close()
      return Promise.resolve()
    },
  }
}

function postgresPlace(folder: string, url: string): Place {
  return {
    countsForSeveral: true,
    open: (secret, previousSecret, isAnyState = false) =>
      openStore(folder, secret, url, { ...UNHURRIED, previousSecret, isAnyState }),
    async tamper(sql) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(sql)
      await client.end()
    },
  }
}

export const entry = (requestId: string, at = 1_000_000, keyId: string | null = null): AuditEntry =>
  makeEntry({ at, requestId, keyId, call: 'score', status: 200 })
export const idOf = (row: AuditRow | undefined): unknown =>
  (JSON.parse(row?.content ?? '{}') as { requestId?: unknown }).requestId
export const entries = (count: number, at?: number): readonly AuditEntry[] =>
  Array.from({ length: count }, (_, index) => entry(`request-${index}`, at))

/** Appends rows, each as a group of its own. */
export async function appendOneByOne(store: Store, rows: readonly AuditEntry[]): Promise<void> {
  for (const each of rows) {
    await store.appendAudit([each])
    // Reading gives the row its place in the chain.
    await store.chainEnds()
  }
}

/** Stores a key that may do everything. */
export function newKey(
  { store, secrets }: GivenStore,
  wanted: Partial<StoredKey> = {},
): Promise<{ readonly id: string; readonly key: string }> {
  return makeKey(
    store,
    secrets,
    { name: 'Ärztin 3', scopes: ['*', 'admin'], expiresAt: null, ...wanted },
    5_000,
  )
}

/** Lets somebody else be faster than the reader of a store. */
export function beforeEachPage(store: Store, act: () => Promise<unknown>): void {
  const readGroups = store.readGroups.bind(store)
  store.readGroups = async (page) => {
    await act()
    return readGroups(page)
  }
}
