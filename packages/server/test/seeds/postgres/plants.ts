/**
 * Defects that the runs on PostgreSQL must find, each with a seed that does. `node packages/server/test/seeds/find.ts postgres`
 * looks for seeds again.
 */
import { PLANTS, type Plant, plantMethod } from '../plants.ts'
import { AuditQueue } from '../../../src/store/store-client.ts'
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import { PostgresQuota } from '../../../src/store/postgres/postgres-quota.ts'
import { SqlStore } from '../../../src/store/sql-store.ts'
import type { Query, SqlDatabase } from '../../../src/store/sql.ts'

export interface PostgresPlant extends Plant {
  /** Its run begins with an empty database: true where the defect is in a table. */
  readonly isFromEmpty?: boolean
}

const CARELESS = new WeakSet<object>()

/** A database whose calls go on when their callers have given up; single statements too, where asked for in a transaction. */
function careless(database: object, isInTransaction = false): SqlDatabase {
  const method = (name: string): ((...args: readonly unknown[]) => unknown) =>
    (Reflect.get(database, name) as (...args: readonly unknown[]) => unknown).bind(database)
  const inTime = method('inTime')
  const call = { isWaiting: true, giveUp: () => true }
  const write: Query = (...statement) =>
    inTime({ ...call }, () => method('connected')((query: Query) => query(...statement))) as never
  const transaction = (work: unknown, limitMs?: number): unknown =>
    inTime({ ...call }, () => method('longTransaction')(work), limitMs)
  const together: Query = (...statement) => transaction((query: Query) => query(...statement)) as never
  const changed = Object.assign(Object.create(database) as SqlDatabase, {
    write: isInTransaction ? together : write,
    transaction,
  })
  CARELESS.add(changed)
  return changed
}

/** A call of the store that commits although its caller was refused. */
function committedLate(name: string, method: string, seed: number, isInTransaction = false): PostgresPlant {
  // Before it is planted: the store with the careless database has the method as it is.
  const before = Reflect.get(SqlStore.prototype, method) as (...given: readonly unknown[]) => unknown
  const apply = plantMethod(SqlStore, method, (_usual, args, self) => {
    const part = (field: string): never => Reflect.get(self, field) as never
    const store = new SqlStore(careless(part('database'), isInTransaction), part('seal'), part('memory'))
    return before.apply(store, [...args])
  })
  return { ...of(name, seed), apply }
}

const of = (name: string, seed: number): PostgresPlant => ({ ...(PLANTS[name] as Plant), seed })

export const POSTGRES_PLANTS: Readonly<Record<string, PostgresPlant>> = {
  'early-acknowledgement': of('early-acknowledgement', 1),
  'row-written-again': {
    defect: 'rows are written again after a failure, although the first try may have worked',
    seed: 47,
    finds: /row .* is there 2 times/,
    apply: plantMethod(AuditQueue, 'commit', async (usual, args) => {
      try {
        await usual(...args)
      } catch {
        // For half a second the store refuses everything.
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        await usual(...args)
      }
    }),
  },
  'lost-queue-row': of('lost-queue-row', 4),
  'early-revocation': of('early-revocation', 175),
  'key-never-asked-again': of('key-never-asked-again', 9),
  'quota-counted-short': of('quota-counted-short', 4),
  'unlogged-queue': {
    defect: 'the queue of the audit is lost when the server crashes',
    seed: 1,
    finds: /row .* was acknowledged and is missing/,
    isFromEmpty: true,
    sql: (text) => text.replace('CREATE TABLE audit_queue (', 'CREATE UNLOGGED TABLE audit_queue ('),
  },
  'limit-by-each-process': {
    defect: 'what other processes have taken does not count',
    seed: 6,
    finds: /were granted in a minute|were handed out/,
    sql: (text) => text.replaceAll('$3::bigint - q.taken', () => '$3::bigint'),
  },
  'no-transaction': {
    defect: 'the statements of a transaction are committed one by one',
    seed: 2,
    finds: /missing|times|head|audit verify/,
    apply: plantMethod(PostgresDatabase, 'longTransaction', (_usual, [work], self) =>
      (Reflect.get(self, 'connected') as (work: unknown) => unknown).call(self, work),
    ),
  },
  'outcomes-after-refusal': committedLate('outcomes-after-refusal', 'countOutcomes', 260),
  'key-after-refusal': committedLate('key-after-refusal', 'insertKey', 81),
  'alarm-after-refusal': committedLate('alarm-after-refusal', 'writeAlarm', 220, true),
  'row-after-refusal': committedLate('row-after-refusal', 'appendGroup', 146),
  'quota-after-refusal': {
    ...of('quota-after-refusal', 151),
    apply: plantMethod(PostgresQuota, 'take', (usual, args, self) => {
      if (!CARELESS.has(Reflect.get(self, 'database') as object))
        Reflect.set(self, 'database', careless(Reflect.get(self, 'database') as object))
      return usual(...args)
    }),
  },
}
