/**
 * Defects that the runs on PostgreSQL must find, each with a seed that does. `node packages/server/test/seeds/find.ts postgres`
 * looks for seeds again.
 */
import { PLANTS, type Plant, plantMethod } from '../plants.ts'
import { AuditQueue } from '../../../src/store/store-client.ts'
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'

export interface PostgresPlant extends Plant {
  /** Its run begins with an empty database: true where the defect is in a table. */
  readonly isFromEmpty?: boolean
}

const of = (name: string, seed: number): PostgresPlant => ({ ...(PLANTS[name] as Plant), seed })

export const POSTGRES_PLANTS: Readonly<Record<string, PostgresPlant>> = {
  'early-acknowledgement': of('early-acknowledgement', 1),
  'row-written-again': {
    defect: 'rows are written again after a failure, although the first try may have worked',
    seed: 12,
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
  'lost-queue-row': of('lost-queue-row', 3),
  'early-revocation': of('early-revocation', 46),
  'key-never-asked-again': of('key-never-asked-again', 862),
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
    seed: 4,
    finds: /were granted in a minute|were handed out/,
    sql: (text) => text.replaceAll('$3::bigint - q.taken', () => '$3::bigint'),
  },
  'no-transaction': {
    defect: 'the statements of a transaction are committed one by one',
    seed: 1,
    finds: /missing|times|head|audit verify/,
    apply: plantMethod(PostgresDatabase, 'longTransaction', (_usual, [work], self) =>
      (Reflect.get(self, 'connected') as (work: unknown) => unknown).call(self, work),
    ),
  },
}
