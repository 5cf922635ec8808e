/** Opens an SQLite file as a store, with a secret for tests. */
import { UNHURRIED } from '../../../../test/support/unhurried.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'

export const TEST_SECRET = Buffer.from('secret of the tests')

export const openFileStore = (path: string): ReturnType<typeof openSqliteStore> =>
  openSqliteStore(path, { ...UNHURRIED, secrets: [TEST_SECRET] })
