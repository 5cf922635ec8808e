/** Reads rows page by page, for as long as somebody wants more. For commands: a question over HTTP is bounded (`list-rows.ts`). */
import type { AuditRow } from './audit-row.ts'
import type { AuditQuery } from './read-groups.ts'
import type { Store } from '../store.ts'

/** Calls `visit` with each row until it returns false. */
export async function visitRows(
  store: Pick<Store, 'readAudit'>,
  query: AuditQuery,
  visit: (row: AuditRow) => boolean,
): Promise<void> {
  let { after } = query
  for (;;) {
    const rows = await store.readAudit({ ...query, after })
    for (const row of rows) {
      if (!visit(row)) return
    }
    if (rows.length < query.most) return
    after = rows.at(-1)?.seq
  }
}
