/** A client of the simulated network, in place of the one of pg; its pool is the real one. */
import { EventEmitter } from 'node:events'
import pg from 'pg'
import type { Owner } from '../world.ts'
import type { Database, Session } from './database.ts'

let database: Database | undefined

/** From now on pools use this database; undefined takes it back. */
export function useDatabase(next: Database | undefined): void {
  database = next
}

type Callback = (error?: Error) => void

/** A query with a limit of its own. */
interface LimitedQuery {
  readonly text: string
  readonly values: readonly unknown[]
  readonly query_timeout: number
}

class SimulatedClient extends EventEmitter {
  // What the pool asks for.
  readonly _queryable = true
  _ending = false
  readonly connection = { stream: { destroy: (): void => this.lost() } }
  private readonly owner: Owner
  private readonly database = database as Database
  private readonly queryLimitMs: number
  private session: Session | undefined
  private connecting: Callback | undefined
  private failQuery: ((error: Error) => void) | undefined

  constructor({ query_timeout: limitMs }: pg.PoolConfig) {
    super()
    this.owner = this.database.world.current
    this.queryLimitMs = Number(limitMs)
  }

  connect(callback: Callback): void {
    this.connecting = callback
    this.database.connect(
      this.owner,
      () => this.lost(),
      (session) => {
        const isWaiting = this.connecting !== undefined
        this.connecting = undefined
        if (session === undefined) {
          if (isWaiting) callback(new Error('connect ECONNREFUSED'))
        } else if (isWaiting) {
          this.session = session
          callback()
        } else this.database.end(session)
      },
    )
  }

  query(asked: string | LimitedQuery, given: readonly unknown[] = []): Promise<unknown> {
    const text = typeof asked === 'string' ? asked : asked.text
    const { values, query_timeout: limitMs } =
      typeof asked === 'string' ? { values: given, query_timeout: this.queryLimitMs } : asked
    return new Promise((resolve, reject) => {
      if (this._ending || this.session === undefined || this.session.isLeft) {
        reject(new Error('Client has encountered a connection error and is not queryable'))
        return
      }
      const timer = setTimeout(() => fail(new Error('Query read timeout')), limitMs)
      const fail = (error: Error): void => {
        clearTimeout(timer)
        reject(error)
      }
      this.failQuery = fail
      this.database.send(this.session, text, values, (result) => {
        if (result instanceof Error) fail(result)
        else {
          clearTimeout(timer)
          resolve(result)
        }
      })
    })
  }

  end(callback: Callback = () => undefined): void {
    this._ending = true
    if (this.session !== undefined) this.database.end(this.session)
    this.database.world.schedule(() => callback(), 0, this.owner)
  }

  /** The connection is gone, and this client learns it. */
  private lost(): void {
    const error = new Error('Connection terminated unexpectedly')
    const { connecting } = this
    this.connecting = undefined
    if (connecting !== undefined) {
      connecting(error)
      return
    }
    this.failQuery?.(error)
    if (!this._ending) this.emit('error', error)
  }
}

/** Once for a thread. Where no database is used, pools are as usual. */
export function replaceClients(): void {
  const UsualPool = pg.Pool
  Object.assign(pg, {
    Pool: class extends UsualPool {
      constructor(options: pg.PoolConfig) {
        super(database === undefined ? options : { ...options, Client: SimulatedClient as never })
      }
    },
  })
}
