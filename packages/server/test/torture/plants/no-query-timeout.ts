/** A planted defect: no time limit on the answers of the database. */
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import pg from 'pg'

Reflect.set(PostgresDatabase.prototype, 'inTime', (_call: unknown, work: () => Promise<unknown>) => work())
const Pool = pg.Pool
Reflect.set(
  pg,
  'Pool',
  class extends Pool {
    constructor(options: pg.PoolConfig) {
      super({ ...options, query_timeout: 0, connectionTimeoutMillis: 0, options: '' })
    }
  },
)
