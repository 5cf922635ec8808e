/** Opens an SQLite file as a store, with a secret for tests. */
import { UNHURRIED } from '../../../../test/support/unhurried.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'

export const TEST_SECRET = Buffer.from('secret of the tests')

/** Without a factor the limits of time are those of the service. */
export const openFileStore = (
  path: string,
  { limitFactor = 1 }: { readonly limitFactor?: number } = UNHURRIED,
): ReturnType<typeof openSqliteStore> => openSqliteStore(path, { limitFactor, secrets: [TEST_SECRET] })
