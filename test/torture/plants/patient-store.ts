/** A planted defect: no time limit on the answers of the database. */
import { Gate } from '../../../src/store/postgres/gate.ts'
import pg from 'pg'

Reflect.set(Gate.prototype, 'pass', (work: () => Promise<unknown>) => work())
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
