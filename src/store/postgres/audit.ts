/** The audit chain in PostgreSQL. An append locks the head of the chain, so that all processes share one chain. */
import { type Kysely, type Transaction, sql } from 'kysely'
import {
  type EntryGroup,
  type GroupRow,
  type ReadableGroup,
  assertHead,
  commonPart,
  endOf,
  groupEntries,
  groupOfRow,
  linkGroup,
  selectRows,
} from '../audit/audit-group.ts'
import {
  type AuditEntry,
  type AuditRow,
  type ChainEnds,
  PRUNE_STEP,
  retentionEntry,
} from '../audit/audit-row.ts'
import type { AuditQuery } from '../store.ts'
import type { Gate } from './gate.ts'
import type { Tables } from './tables.ts'

/** Groups that one statement reads. */
const GROUPS_OF_A_PAGE = 500

type Ends = ChainEnds & { readonly latest: number }

export class PostgresAudit {
  private readonly database: Kysely<Tables>
  private readonly gate: Gate
  private readonly uses = new Map<string, number>()
  /** Dictionaries of groups: by their number, and the number by the part that rows have in common. */
  private readonly dictionaries = new Map<number, string>()
  private readonly contexts = new Map<string, number>()

  constructor(database: Kysely<Tables>, gate: Gate) {
    this.database = database
    this.gate = gate
  }

  async append(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return
    const group = groupEntries(entries)
    const context = await this.gate.pass(() => this.contextOf(group))
    await this.gate.pass(() =>
      this.database.transaction().execute(async (transaction) => {
        await this.link(transaction, await lockChain(transaction), group, context)
      }),
    )
    // Beside the chain: when the keys cannot be written, a key that was verified lately still works.
    void this.recordUses(group)
  }

  /** Throws where no row could be appended. */
  async tryAppend(): Promise<void> {
    await this.gate.pass(() =>
      this.database.transaction().execute(async (transaction) => {
        const { latest } = await lockChain(transaction)
        await transaction.updateTable('chain').set({ latest_time: latest }).execute()
      }),
    )
  }

  async read(query: AuditQuery): Promise<readonly AuditRow[]> {
    const found: AuditRow[] = []
    let after = query.after
    for (;;) {
      const groups = await this.groups({ ...query, ...(after === undefined ? {} : { after }) })
      found.push(...selectRows(groups, { ...query, most: query.most - found.length }))
      const last = groups.at(-1)
      if (last === undefined || groups.length < GROUPS_OF_A_PAGE || found.length >= query.most) return found
      after = query.newestFirst === true ? last.lastSeq - last.count + 1 : last.lastSeq
    }
  }

  async ends(): Promise<ChainEnds> {
    return this.gate.pass(async () => {
      const { start, head, lastSeq } = await readChain(this.database)
      return { start, head, lastSeq }
    })
  }

  prune(before: number, now: number): Promise<number> {
    return this.gate.pass(async () => {
      const entry = (point: Parameters<typeof retentionEntry>[1], removed: number): EntryGroup =>
        groupEntries([retentionEntry(now, point, removed)])
      const context = await this.contextOf(entry({ seq: 0, hash: '' }, 0))
      return this.database.transaction().execute(async (transaction) => {
        const chain = await lockChain(transaction)
        const { seq: kept } = await transaction
          .selectFrom('audit')
          .select(({ fn }) => fn.min<number | null>('last_seq').as('seq'))
          .where('last_at', '>=', before)
          .executeTakeFirstOrThrow()
        const most = Math.min(kept === null ? chain.head.seq : kept - 1, chain.start.seq + PRUNE_STEP)
        const last = await transaction
          .selectFrom('audit')
          .select(['last_seq as lastSeq', 'hash'])
          .where('last_seq', '<=', most)
          .orderBy('last_seq', 'desc')
          .limit(1)
          .executeTakeFirst()
        if (last === undefined) return 0
        const point = endOf(last)
        await transaction.deleteFrom('audit').where('last_seq', '<=', point.seq).execute()
        await transaction.updateTable('chain').set({ start_seq: point.seq, start_hash: point.hash }).execute()
        const removed = point.seq - chain.start.seq
        await this.link(transaction, chain, entry(point, removed), context)
        return removed
      })
    })
  }

  private async groups({ after, from, newestFirst = false }: AuditQuery): Promise<readonly ReadableGroup[]> {
    const isAfter =
      after === undefined
        ? sql`true`
        : newestFirst
          ? // The group that holds the limit itself may hold rows before it.
            sql`a.last_seq <= (SELECT coalesce(min(last_seq), 9000000000000000) FROM audit WHERE last_seq >= ${after}::bigint)`
          : sql`a.last_seq > ${after}::bigint`
    const isFrom =
      from === undefined
        ? sql`true`
        : sql`a.last_seq >= (SELECT min(last_seq) FROM audit WHERE last_at >= ${from}::bigint)`
    const { rows } = await this.gate.pass(() =>
      sql<
        GroupRow & { readonly prev: Uint8Array | null }
      >`SELECT a.*, (SELECT p.hash FROM audit p WHERE p.last_seq = a.last_seq - a.count) AS prev
        FROM audit a WHERE ${isAfter} AND ${isFrom}
        ORDER BY a.last_seq ${sql.raw(newestFirst ? 'DESC' : 'ASC')} LIMIT ${GROUPS_OF_A_PAGE}`.execute(
        this.database,
      ),
    )
    const { start } = await this.ends()
    const groups: ReadableGroup[] = []
    for (const row of rows) groups.push(groupOfRow(row, start, await this.dictionary(row.context)))
    return groups
  }

  private async link(
    transaction: Transaction<Tables>,
    { head }: ChainEnds,
    group: EntryGroup,
    context: number,
  ): Promise<void> {
    const linked = linkGroup(head, group, this.dictionaries.get(context) ?? '')
    await transaction
      .insertInto('audit')
      .values({
        last_seq: linked.lastSeq,
        count: linked.count,
        last_at: linked.lastAt,
        context,
        packed: Buffer.from(linked.packed),
        hash: Buffer.from(linked.hash),
      })
      .execute()
    const { seq, hash } = endOf(linked)
    await transaction
      .updateTable('chain')
      .set({
        head_seq: seq,
        head_hash: hash,
        latest_time: sql<number>`greatest(latest_time, ${linked.lastAt})`,
      })
      .execute()
  }

  /** The number of the dictionary for a group. The first group of a kind is the dictionary of those after it. */
  private async contextOf({ texts }: EntryGroup): Promise<number> {
    const common = commonPart(texts)
    const known = this.contexts.get(common)
    if (known !== undefined) return known
    const [first = ''] = texts.split('\n', 1)
    const stored = await this.database.selectFrom('audit_context').selectAll().orderBy('id').execute()
    const context =
      stored.find(({ text }) => commonPart(text) === common) ??
      (await this.database
        .insertInto('audit_context')
        .values({ text: first })
        .returningAll()
        .executeTakeFirstOrThrow())
    this.contexts.set(common, context.id)
    this.dictionaries.set(context.id, context.text)
    return context.id
  }

  private async dictionary(context: number): Promise<string> {
    const known = this.dictionaries.get(context)
    if (known !== undefined) return known
    const row = await this.gate.pass(() =>
      this.database.selectFrom('audit_context').select('text').where('id', '=', context).executeTakeFirst(),
    )
    if (row !== undefined) this.dictionaries.set(context, row.text)
    return row?.text ?? ''
  }

  private async recordUses({ uses }: EntryGroup): Promise<void> {
    for (const [keyId, minute] of uses) {
      const before = this.uses.get(keyId) ?? -1
      if (before >= minute) continue
      this.uses.set(keyId, minute)
      try {
        await this.gate.pass(() =>
          this.database
            .updateTable('keys')
            .set({ last_used_at: sql<number>`greatest(last_used_at, ${minute})` })
            .where('id', '=', keyId)
            .execute(),
        )
      } catch {
        // The next answer records it again.
        this.uses.set(keyId, before)
      }
    }
  }
}

async function lockChain(transaction: Transaction<Tables>): Promise<Ends> {
  await sql`SELECT 1 FROM chain FOR UPDATE`.execute(transaction)
  const ends = await readChain(transaction)
  assertHead(ends)
  return ends
}

/** One statement, so that both ends are of the same moment. */
async function readChain(database: Kysely<Tables>): Promise<Ends> {
  const row = await database
    .selectFrom('chain')
    .selectAll()
    .select((expression) =>
      expression
        .selectFrom('audit')
        .select(({ fn }) => fn.max<number | null>('last_seq').as('seq'))
        .as('last_seq'),
    )
    .executeTakeFirstOrThrow()
  return {
    start: { seq: row.start_seq, hash: row.start_hash },
    head: { seq: row.head_seq, hash: row.head_hash },
    lastSeq: row.last_seq ?? row.start_seq,
    latest: row.latest_time,
  }
}
