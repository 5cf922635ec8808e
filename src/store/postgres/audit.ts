/** The audit chain in PostgreSQL. Whoever appends locks the head of the chain, so that there is one chain for all processes. */
import { type Kysely, type Transaction, sql } from 'kysely'
import {
  type AuditEntry,
  type AuditRow,
  type ChainEnds,
  PRUNE_STEP,
  linkRows,
  retentionEntry,
} from '../audit/audit-row.ts'
import type { AuditQuery } from '../store.ts'
import type { Gate } from './gate.ts'
import { type ChainTable, type Tables, auditOfRow } from './tables.ts'

const MINUTE_MS = 60_000

export class PostgresAudit {
  private readonly database: Kysely<Tables>
  private readonly gate: Gate
  private readonly usedIn = new Map<string, number>()

  constructor(database: Kysely<Tables>, gate: Gate) {
    this.database = database
    this.gate = gate
  }

  async append(entries: readonly AuditEntry[]): Promise<void> {
    await this.gate.pass(() =>
      this.database.transaction().execute(async (transaction) => {
        await link(transaction, await lockChain(transaction), entries)
      }),
    )
    // Beside the chain: when the keys cannot be written, a key that was verified lately still goes on.
    void this.noteUses(entries)
  }

  async read(query: AuditQuery): Promise<readonly AuditRow[]> {
    const { after, requestId, from, to, newestFirst = false, most } = query
    let select = this.database.selectFrom('audit').selectAll().limit(most)
    if (after !== undefined) select = select.where('seq', newestFirst ? '<' : '>', after)
    if (requestId !== undefined) select = select.where('request_id', '=', requestId)
    if (from !== undefined) select = select.where('at', '>=', from)
    if (to !== undefined) select = select.where('at', '<', to)
    const rows = await this.gate.pass(() => select.orderBy('seq', newestFirst ? 'desc' : 'asc').execute())
    return rows.map(auditOfRow)
  }

  async ends(): Promise<ChainEnds> {
    return endsOf(
      await this.gate.pass(() => this.database.selectFrom('chain').selectAll().executeTakeFirstOrThrow()),
    )
  }

  prune(before: number, now: number): Promise<number> {
    return this.gate.pass(() =>
      this.database.transaction().execute((transaction) => prune(transaction, before, now)),
    )
  }

  private async noteUses(entries: readonly AuditEntry[]): Promise<void> {
    for (const { keyId, at } of entries) {
      const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS
      if (keyId === null || (this.usedIn.get(keyId) ?? -1) >= minute) continue
      const before = this.usedIn.get(keyId) ?? -1
      this.usedIn.set(keyId, minute)
      try {
        await this.gate.pass(() =>
          this.database
            .updateTable('keys')
            .set({ last_used_at: sql<number>`greatest(last_used_at, ${minute})` })
            .where('id', '=', keyId)
            .execute(),
        )
      } catch {
        // The next answer notes it again.
        this.usedIn.set(keyId, before)
      }
    }
  }
}

async function prune(transaction: Transaction<Tables>, before: number, now: number): Promise<number> {
  const chain = await lockChain(transaction)
  const { start } = endsOf(chain)
  const { seq: kept } = await transaction
    .selectFrom('audit')
    .select(({ fn }) => fn.min<number | null>('seq').as('seq'))
    .where('at', '>=', before)
    .executeTakeFirstOrThrow()
  const through = Math.min(kept === null ? chain.head_seq : kept - 1, start.seq + PRUNE_STEP)
  if (through <= start.seq) return 0
  const last = await transaction
    .selectFrom('audit')
    .select(['seq', 'hash'])
    .where('seq', '=', through)
    .executeTakeFirst()
  if (last === undefined) return 0
  const { numDeletedRows } = await transaction
    .deleteFrom('audit')
    .where('seq', '<=', through)
    .executeTakeFirst()
  await transaction.updateTable('chain').set({ start_seq: last.seq, start_hash: last.hash }).execute()
  await link(transaction, chain, [retentionEntry(now, last, Number(numDeletedRows))])
  return Number(numDeletedRows)
}

function lockChain(transaction: Transaction<Tables>): Promise<ChainTable> {
  return transaction.selectFrom('chain').selectAll().forUpdate().executeTakeFirstOrThrow()
}

async function link(
  transaction: Transaction<Tables>,
  chain: ChainTable,
  entries: readonly AuditEntry[],
): Promise<void> {
  const rows = linkRows(endsOf(chain).head, entries)
  const last = rows.at(-1)
  if (last === undefined) return
  await sql`INSERT INTO audit (seq, at, request_id, content, hash) SELECT * FROM unnest(
      ${rows.map(({ seq }) => seq)}::bigint[], ${rows.map(({ at }) => at)}::bigint[],
      ${rows.map(({ requestId }) => requestId)}::text[], ${rows.map(({ content }) => content)}::text[],
      ${rows.map(({ hash }) => hash)}::text[])`.execute(transaction)
  const latest = Math.max(...entries.map(({ at }) => at))
  await transaction
    .updateTable('chain')
    .set({
      head_seq: last.seq,
      head_hash: last.hash,
      latest_time: sql<number>`greatest(latest_time, ${latest})`,
    })
    .execute()
}

function endsOf(row: ChainTable): ChainEnds {
  return {
    start: { seq: row.start_seq, hash: row.start_hash },
    head: { seq: row.head_seq, hash: row.head_hash },
  }
}
