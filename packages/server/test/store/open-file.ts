/** Opens an SQLite file as a store, with a secret for tests. */
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'

/** Options of a store in a test that is not about time limits: on a busy machine a call may take some seconds. */
export const UNHURRIED = { limitFactor: 60 }

export const TEST_SECRET = Buffer.from('secret of the tests')

export const openFileStore = (path: string): ReturnType<typeof openSqliteStore> =>
  openSqliteStore(path, { secrets: [TEST_SECRET] })
