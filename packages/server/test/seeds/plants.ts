/**
 * Defects that the simulation must find, each with a seed that finds it. Where the scenario changes, the seeds do too:
 * `node packages/server/test/seeds/find.ts` looks for them again.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { StatementSync } from 'node:sqlite'
import { AnchorFile } from '../../src/store/audit/anchor-file.ts'
import { AuditQueue } from '../../src/store/store-client.ts'
import type { EntryGroup } from '../../src/store/audit/audit-row.ts'
import { KeyCache } from '../../src/store/keys/key-cache.ts'
import { KeyManager } from '../../src/store/keys/key-manager.ts'
import type { Store } from '../../src/store/store.ts'
import { Limiter } from '../../src/store/quota.ts'
import { SqlOutcomes } from '../../src/store/outcomes/sql-outcomes.ts'
import { SqlStore } from '../../src/store/sql-store.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { NO_LIMIT, Rpc } from '@patient-risk/runtime'
import { theWorld } from './world.ts'

export interface Plant {
  readonly defect: string
  /** A seed whose run breaks a promise with this defect. */
  readonly seed: number
  /** What that run finds. */
  readonly finds: RegExp
  /** Changes statements. */
  readonly sql?: (text: string) => string
  /** Changes code; what it returns takes the change back. */
  readonly apply?: () => () => void
}

type Usual = (...args: readonly unknown[]) => unknown

/** Replaces a method of a class. */
export function plantMethod(
  { prototype }: { readonly prototype: object },
  name: string,
  act: (usual: Usual, args: readonly unknown[], self: object) => unknown,
): () => () => void {
  return () => {
    const usual = Reflect.get(prototype, name) as Usual
    Reflect.set(prototype, name, function (this: object, ...args: readonly unknown[]) {
      return act((...given) => Reflect.apply(usual, this, given), args, this)
    })
    return () => void Reflect.set(prototype, name, usual)
  }
}

const HOUR_MS = 3_600_000
const ignored = (work: unknown): void => void (work as Promise<unknown>).catch(() => undefined)

/** A call that commits although its caller was refused. */
const committedLate = (method: string): (() => () => void) =>
  plantMethod(SqlStore, method, (usual, args, self) => {
    Reflect.set(Reflect.get(self, 'database') as object, 'limit', NO_LIMIT)
    return usual(...args)
  })

const lateRevocation = (method: string): (() => () => void) =>
  plantMethod(SqlStore, method, (usual, args) => {
    setTimeout(() => ignored(usual(...args)), 20)
    return Promise.resolve(true)
  })

/** Several changes of code as one. */
const together =
  (...changes: readonly (() => () => void)[]): (() => () => void) =>
  () => {
    const backs = changes.map((change) => change())
    return () => backs.forEach((back) => back())
  }

export const PLANTS: Readonly<Record<string, Plant>> = {
  'fsync-left-out': {
    defect: 'a commit does not wait for the disk',
    seed: 1,
    finds: /missing|are lost/,
    sql: (text) => text.replace('synchronous = FULL', 'synchronous = NORMAL'),
  },
  'early-acknowledgement': {
    defect: 'a row is acknowledged before its commit',
    seed: 1,
    finds: /row .* was acknowledged and is missing/,
    apply: plantMethod(AuditQueue, 'append', (usual, args) => {
      ignored(usual(...args))
      return Promise.resolve()
    }),
  },
  'lost-queue-row': {
    defect: 'the last of several queued rows is not chained',
    seed: 5,
    finds: /row .* was acknowledged and is missing/,
    apply: plantMethod(SqlStore, 'link', (usual, [query, head, texts]) => {
      const all = texts as readonly string[]
      return usual(query, head, all.length > 1 ? all.slice(0, -1) : all)
    }),
  },
  'row-written-again': {
    defect: 'rows are written again after a failure, although the first try may have worked',
    seed: 9,
    finds: /row .* is there 2 times/,
    apply: plantMethod(AuditQueue, 'commit', async (usual, args) => {
      try {
        await usual(...args)
      } catch {
        await usual(...args)
      }
    }),
  },
  'no-transaction': {
    defect: 'the statements of a transaction are committed one by one',
    seed: 4,
    finds: /missing|times|head|audit verify/,
    apply: plantMethod(SqliteDatabase, 'transaction', (_usual, [work], self) => {
      const run = Reflect.get(self, 'statement') as (text: string) => StatementSync
      const statement = (text: string): StatementSync => run.call(self, text)
      return (work as Usual)(async (text: unknown, ...values: readonly unknown[]) => {
        await theWorld()?.turn()
        return statement(String(text)).all(...(values as string[]))
      })
    }),
  },
  'expiry-by-wall-clock': {
    defect: 'the expiry of a key is judged by the clock alone',
    seed: 147,
    finds: /had expired/,
    apply: plantMethod(KeyCache, 'latestTime', (_usual, [now]) => now),
  },
  'early-revocation': {
    defect: 'a revocation is acknowledged before it is written',
    seed: 9,
    finds: /no longer revoked/,
    apply: together(...['revokeKey', 'revokeSpareKey'].map(lateRevocation)),
  },
  'key-never-asked-again': {
    defect: 'a key in memory is not looked up again',
    seed: 95,
    finds: /after it was revoked/,
    apply: plantMethod(KeyCache, 'recall', (usual, args, self) => {
      Reflect.set(self, 'store', { ...(Reflect.get(self, 'store') as object), keyFreshMs: Infinity })
      return usual(...args)
    }),
  },
  'quota-counted-short': {
    defect: 'a process gets one more than it was handed out',
    seed: 17,
    finds: /were granted in a minute/,
    apply: plantMethod(Limiter, 'refill', async (usual, args) => {
      await usual(...args)
      const portion = args[1] as { left: number }
      portion.left += 1
    }),
  },
  'replaced-file': {
    defect: 'a file that was deleted or replaced under the service is not noticed',
    seed: 53,
    finds: /missing|refused/,
    apply: () => {
      const { statSync } = fs
      const blind = (path: fs.PathLike, options?: { readonly bigint?: boolean }): unknown =>
        options?.bigint === true ? { dev: 1n, ino: 1n } : statSync(path, options as never)
      Object.assign(fs, { statSync: blind })
      syncBuiltinESMExports()
      return () => {
        Object.assign(fs, { statSync })
        syncBuiltinESMExports()
      }
    },
  },
  'anchor-not-read': {
    defect: 'the start does not compare the store with its anchor',
    seed: 49,
    finds: /it starts on a store that ends at/,
    // Only the start: the look at all rows still reads it.
    apply: plantMethod(AnchorFile, 'read', (usual) =>
      new Error().stack?.includes('openStore') === true ? [] : usual(),
    ),
  },
  'retention-too-early': {
    defect: 'retention removes rows that are to be kept for another hour',
    seed: 90,
    finds: /row .* was acknowledged and is missing/,
    apply: plantMethod(SqlStore, 'pruneAudit', (usual, [before, now]) =>
      usual((before as number) + HOUR_MS, now),
    ),
  },
  'outcomes-after-refusal': {
    defect: 'outcomes are counted although their caller was refused',
    seed: 107,
    finds: /outcomes .* refused and counted/,
    apply: committedLate('countOutcomes'),
  },
  'receipt-not-noted': {
    defect: 'a receipt is not noted, so that its outcome is counted again',
    seed: 7,
    finds: /outcomes .* counted \d+ times/,
    sql: (text) => text.replace(/(UPDATE outcome_receipts SET bits =) (\S+)/, '$1 coalesce(bits, $2)'),
  },
  'correction-not-compared': {
    defect: 'a correction takes away what others have taken already',
    seed: 12,
    finds: /fell below 0|counted/,
    apply: plantMethod(SqlOutcomes, 'numbersOf', () => Promise.resolve([])),
  },
  'risks-counted-twice': {
    defect: 'risks are counted twice when their row is chained',
    seed: 7,
    finds: /the risk of .* counted|as the rows say/,
    apply: plantMethod(SqlOutcomes, 'addScored', async (usual, [query, scored]) => {
      await usual(query, scored)
      await usual(query, scored)
    }),
  },
  'key-after-refusal': {
    defect: 'a key is stored although its maker was refused',
    seed: 4,
    finds: /key .* was refused and is there/,
    apply: committedLate('insertKey'),
  },
  'revocation-after-refusal': {
    defect: 'a key is revoked although the administrator was refused',
    seed: 1654,
    finds: /revocation of key .* was refused and is stored/,
    apply: together(...['revokeKey', 'revokeSpareKey'].map(committedLate)),
  },
  'key-read-again': {
    defect: 'a revoked key is read again before its administrator is answered',
    seed: 1358,
    finds: /revocation of key .* was refused and is stored/,
    apply: plantMethod(KeyManager, 'revoke', async (usual, args, self) => {
      const revoked = await usual(...args)
      await (Reflect.get(self, 'parts') as { readonly store: Store }).store.findKey(String(args[0]))
      return revoked
    }),
  },
  'row-after-its-key': {
    defect: 'the audit row of a new key is stored after the key, and not with it',
    seed: 190,
    finds: /key .* was refused and is there/,
    apply: plantMethod(SqlStore, 'insertKey', async (usual, [key, oldEndsAt, row], self) => {
      await usual(key, oldEndsAt)
      await (self as SqlStore).appendGroup(row as EntryGroup)
    }),
  },
  'alarm-after-refusal': {
    defect: 'an alarm is stored although its caller was refused',
    seed: 1,
    finds: /alarm .* refused and stored/,
    apply: committedLate('writeAlarm'),
  },
  'row-after-refusal': {
    defect: 'an audit row is stored although its caller was refused',
    seed: 8,
    finds: /row .* was refused and is there/,
    apply: committedLate('appendGroup'),
  },
  'quota-after-refusal': {
    defect: 'quota is handed out although its caller was refused',
    seed: 432,
    finds: /quota was refused and handed out/,
    apply: plantMethod(Rpc, 'handle', (usual, [request]) => {
      const { name } = request as { readonly name: string }
      return usual(name === 'quota' ? { ...(request as object), deadline: Infinity } : request)
    }),
  },
}
