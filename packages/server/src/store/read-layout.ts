/** Reads the layout of a store without opening it for use, so that nothing is migrated. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StoreError } from '@patient-risk/runtime'
import { layoutOf } from './layout.ts'
import { STORE_FILE } from './open.ts'
import { stepsOfFile } from './sqlite/migrations.ts'

/** 0 where there is no store yet. Throws a StoreError where it cannot be read. `limitFactor` multiplies its time limits, for tests. */
export async function readLayout(
  dataDir: string,
  databaseUrl: string | undefined,
  limitFactor = 1,
): Promise<number> {
  try {
    if (databaseUrl === undefined) return readSqlite(join(dataDir, STORE_FILE))
    return layoutOf('postgresql', await readPostgres(databaseUrl, limitFactor))
  } catch (error) {
    throw new StoreError((error as Error).message)
  }
}

function readSqlite(path: string): number {
  if (!existsSync(path)) return 0
  // A file that was closed properly has no log, and is read without making one: it would stay, and belong to whoever asks.
  const isClosed = !existsSync(`${path}-wal`)
  const url = new URL(`${pathToFileURL(path).href}${isClosed ? '?immutable=1' : ''}`)
  const database = new DatabaseSync(url, { readOnly: true })
  try {
    return layoutOf('sqlite', stepsOfFile(database))
  } finally {
    database.close()
  }
}

async function readPostgres(url: string, limitFactor: number): Promise<number> {
  // Its packages are some hundred files, so they are loaded only when PostgreSQL is used.
  const { PostgresDatabase } = await import('./postgres/database.ts')
  const { stepsOfDatabase } = await import('./postgres/migrations.ts')
  const database = new PostgresDatabase(url, limitFactor)
  try {
    return await stepsOfDatabase(database.query)
  } finally {
    await database.close()
  }
}
