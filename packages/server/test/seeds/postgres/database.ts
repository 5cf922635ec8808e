/**
 * A real PostgreSQL behind a simulated network. Statements reach it and answers leave it when the seed says so; connections are cut before
 * a statement or after it, the server is silent, gone, or crashes. One statement runs at a time, so that the order is that of the seed.
 */
import pg from 'pg'
import type { QuotaGrant } from '../../../src/store/store.ts'
import { type QuotaCaller, quotaCaller } from '../quota-callers.ts'
import type { Owner, World } from '../world.ts'
import type { RealConnections } from './connections.ts'

/** What the server is told to wait for a lock at most; storage.md. */
const LOCK_LIMIT_MS = 700
/** A transaction of a client that is gone holds its locks until the server notices. */
const NOTICED_MS = 600
/** Of a server that is slow: connecting may take 0.5 s, and an answer 0.8 s; storage.md. */
const CONNECTING_MS = [200, 490] as const
const WORKING_MS = [500, 790] as const
const LOCKED = '55P03'
const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

export type Fault = 'cut before' | 'cut after' | 'slow statement' | 'slow answer'

interface Answer {
  readonly rows: readonly unknown[]
}

/** Of one connection, at the server. */
export class Session {
  readonly owner: Owner
  readonly onCut: () => void
  readonly client: pg.Client
  isInTransaction = false
  isBusy = false
  /** Nobody listens to its answers any more. */
  isLeft = false
  isClosed = false

  constructor(owner: Owner, client: pg.Client, onCut: () => void) {
    this.owner = owner
    this.client = client
    this.onCut = onCut
  }
}

export class Database {
  readonly world: World
  /** Statements of a kind until one goes wrong, and how. */
  fault: { in: number; readonly of: RegExp; readonly kind: Fault } | undefined
  /** Changes the text of statements, for planted defects. */
  readonly change: (text: string) => string
  onQuota: (grant: QuotaGrant, at: number, caller: QuotaCaller | undefined) => void = () => undefined
  private refusedUntil = 0
  private silentUntil = 0
  private slowUntil = 0
  private slowOf = /^/
  private readonly sessions = new Set<Session>()
  private readonly real: RealConnections

  constructor(world: World, real: RealConnections, change: (text: string) => string) {
    this.world = world
    this.real = real
    this.change = change
  }

  /** Clients get neither answers nor connections. What they send may arrive. */
  silence(ms: number): void {
    this.silentUntil = this.world.steadyMs + ms
    this.world.disturb(ms)
  }

  /** Connections, and statements of a kind, take most of the time that a caller waits for one of them. */
  slow(ms: number, of: RegExp): void {
    this.slowUntil = this.world.steadyMs + ms
    this.slowOf = of
    if (this.world.chance(0.5)) return
    // As after a failover: a call needs a new connection first.
    for (const session of this.sessions) if (!session.isBusy && !session.isInTransaction) this.cut(session)
    this.world.disturb(ms + 2_000)
  }

  refuse(ms: number): void {
    this.refusedUntil = this.world.steadyMs + ms
    this.world.disturb(ms)
  }

  /** The server is killed and starts again. Tables outside of its log are empty then. */
  crash(ms: number): void {
    this.refuse(ms)
    this.world.during(async () => {
      for (const session of [...this.sessions]) {
        this.leave(session)
        await this.close(session)
      }
      await this.real.emptyUnlogged()
    })
  }

  /** Everything works again. */
  heal(): void {
    this.fault = undefined
    this.refusedUntil = 0
    this.silentUntil = 0
    this.slowUntil = 0
  }

  /** A process was killed. The server notices that some time later. */
  cutOwner(owner: Owner): void {
    for (const session of this.sessions) if (session.owner === owner) this.cut(session)
  }

  connect(owner: Owner, onCut: () => void, answer: (session: Session | undefined) => void): void {
    const { world } = this
    const arrive = (): void => {
      if (this.isSilent) return
      if (world.steadyMs < this.refusedUntil) return void world.schedule(() => answer(undefined), 0, owner)
      world.during(async () => {
        const session = new Session(owner, await this.real.take(), onCut)
        this.sessions.add(session)
        world.schedule(() => answer(session), this.networkMs() + this.slowMs(CONNECTING_MS), owner)
      })
    }
    world.schedule(arrive, this.networkMs(), 'database')
  }

  send(
    session: Session,
    text: string,
    values: readonly unknown[],
    answer: (result: Answer | Error) => void,
  ): void {
    const { world } = this
    const kind = this.faultOf(text)
    const caller = quotaCaller.getStore()
    if (kind !== undefined) world.disturb(2_000)
    const isLost = this.isSilent && world.chance(0.5)
    const workingMs = this.slowOf.test(text) ? this.slowMs(WORKING_MS) : 0
    const slowMs = kind === 'slow statement' ? world.between(500, 3_000) : workingMs
    const delayMs = this.networkMs() + slowMs
    const arrive = (): void => {
      if (session.isClosed || isLost) return
      if (kind === 'cut before') {
        this.cut(session)
        return
      }
      session.isBusy = true
      this.attempt(session, this.change(text), values, world.steadyMs, (result) => {
        session.isBusy = false
        if (text.includes('INSERT INTO quota') && !(result instanceof Error))
          for (const grant of result.rows as readonly QuotaGrant[])
            this.onQuota(grant, Math.floor(world.steadyMs), caller)
        if (kind === 'cut after') {
          this.cut(session)
          return
        }
        if (session.isLeft) {
          this.closeNow(session)
          return
        }
        if (this.isSilent) return
        const lateMs = kind === 'slow answer' ? world.between(500, 3_000) : 0
        world.schedule(() => answer(result), this.networkMs() + lateMs, session.owner)
      })
    }
    world.schedule(arrive, delayMs, 'database')
  }

  /** The client says that it ends, or is gone. */
  end(session: Session): void {
    session.isLeft = true
    this.world.schedule(() => this.closeNow(session), this.networkMs(), 'database')
  }

  /** Until nothing is open any more. */
  async closeAll(): Promise<void> {
    for (const session of this.sessions) await this.close(session)
  }

  private get isSilent(): boolean {
    return this.world.steadyMs < this.silentUntil
  }

  private networkMs(): number {
    return this.world.random() * 2
  }

  private slowMs([from, to]: readonly [number, number]): number {
    return this.world.steadyMs < this.slowUntil ? this.world.between(from, to) : 0
  }

  private faultOf(text: string): Fault | undefined {
    if (this.fault?.of.test(text) !== true || --this.fault.in > 0) return undefined
    const { kind } = this.fault
    this.fault = undefined
    return kind
  }

  private leave(session: Session): void {
    if (session.isLeft) return
    session.isLeft = true
    this.world.schedule(session.onCut, 0, session.owner)
  }

  private cut(session: Session): void {
    this.leave(session)
    this.world.disturb(NOTICED_MS + LOCK_LIMIT_MS)
    this.world.schedule(() => this.closeNow(session), this.world.between(0, NOTICED_MS), 'database')
  }

  private closeNow(session: Session): void {
    // A statement that waits for a lock does not notice that its client is gone.
    if (!session.isBusy) this.world.during(() => this.close(session))
  }

  private async close(session: Session): Promise<void> {
    if (session.isClosed) return
    session.isClosed = true
    this.sessions.delete(session)
    if (session.isInTransaction) await session.client.query('ROLLBACK')
    this.real.give(session.client)
  }

  /** Runs a statement. Where another connection holds its lock, it is tried again until the server would give up. */
  private attempt(
    session: Session,
    text: string,
    values: readonly unknown[],
    since: number,
    done: (result: Answer | Error) => void,
  ): void {
    const { world } = this
    world.during(async () => {
      if (session.isClosed) return
      const result = await this.statement(session, text, values)
      if (result !== undefined) {
        done(result)
        return
      }
      const waitedMs = world.steadyMs - since
      if (waitedMs < LOCK_LIMIT_MS) {
        // Less and less often: a slow server holds locks for long, and each try is a statement of the real one.
        const pauseMs = 1 + world.random() * (4 + waitedMs / 4)
        world.schedule(() => this.attempt(session, text, values, since, done), pauseMs, 'database')
        return
      }
      world.disturb(1_000)
      done(
        Object.assign(new pg.DatabaseError('canceling statement due to lock timeout', 0, 'error'), {
          code: LOCKED,
        }),
      )
    })
  }

  /** Undefined where a lock is not free. */
  private async statement(
    session: Session,
    text: string,
    values: readonly unknown[],
  ): Promise<Answer | undefined | Error> {
    const { client } = session
    const now = Math.floor(this.world.steadyMs)
    const isNested = session.isInTransaction && !/^(COMMIT|ROLLBACK)/.test(text)
    try {
      if (isNested) await client.query('SAVEPOINT before')
      const { rows } = await client.query(text.replaceAll(CLOCK, `${now}::bigint`), [...values])
      if (text.startsWith('BEGIN')) session.isInTransaction = true
      if (/^(COMMIT|ROLLBACK)/.test(text)) session.isInTransaction = false
      return { rows }
    } catch (error) {
      const { code } = error as Error & { readonly code?: string }
      if (code !== LOCKED) return error as Error
      if (isNested) await client.query('ROLLBACK TO before')
      return undefined
    }
  }
}
