/**
 * Connections with a time limit on everything: waiting for one, every statement at the server and at this end, and
 * every lock. A connection on which an answer did not come is thrown away, for the answer may come later.
 */
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

const CONNECT_LIMIT_MS = 500
const STATEMENT_LIMIT_MS = 700
/** Beyond the server's own limit: reached only when the server does not answer at all. */
const ANSWER_LIMIT_MS = 800
const MOST_CONNECTIONS = 10
const INT8 = pg.types.builtins.INT8

const SESSION = [
  `statement_timeout=${STATEMENT_LIMIT_MS}`,
  `lock_timeout=${STATEMENT_LIMIT_MS}`,
  'idle_in_transaction_session_timeout=2000',
  // A server may be set up to acknowledge before it has written; an audit row must not be lost.
  'synchronous_commit=on',
]

export function openDatabase(url: string): Kysely<Tables> {
  const pool = new pg.Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
    keepAlive: true,
    application_name: 'patient-risk',
    options: SESSION.map((setting) => `-c ${setting}`).join(' '),
    types: numbersForInt8(),
  })
  // A connection that breaks while nobody uses it is replaced; a caller that uses one gets the error.
  pool.on('error', () => undefined)
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: guard(pool) }) })
}

/** Times and counts lie far below 2^53, so that a number holds them. */
function numbersForInt8(): pg.TypeOverrides {
  const types = new pg.TypeOverrides()
  types.setTypeParser(INT8, Number)
  return types
}

function guard(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect()
      let isBroken = false
      const onError = (): void => {
        isBroken = true
      }
      client.on('error', onError)
      const query = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
        if (isBroken) throw new Error('the connection is broken')
        try {
          return await client.query(text, [...parameters])
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) isBroken = true
          throw error
        }
      }
      return {
        query,
        release() {
          client.off('error', onError)
          client.release(isBroken)
        },
      } as PostgresPoolClient
    },
    end: () => pool.end(),
  }
}
