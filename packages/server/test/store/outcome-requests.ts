/** Requests with one outcome, their audit rows, and what a store holds of both. */
import { factsOf } from '../../src/store/audit/audit-facts.ts'
import { type AuditEntry, makeEntry, groupEntries } from '../../src/store/audit/audit-row.ts'
import type { OutcomeCell } from '@patient-risk/monitor'
import { sumsOf } from '../../src/store/outcomes/outcome-sums.ts'
import { packOutcomes } from '../../src/store/outcomes/packed-cells.ts'
import type { OutcomeRequest } from '../../src/store/outcomes/sql-outcomes.ts'
import type { Store } from '../../src/store/store.ts'

export const HOUR = 3_600_000
export const NOW = 500_000 * HOUR
export const KEPT_UNTIL = NOW + 1_000 * HOUR

export const cell = (more: Partial<OutcomeCell> = {}): OutcomeCell => ({
  digest: 'D',
  month: '2026-10',
  group: '',
  bin: 150,
  flagged: 1,
  outcome: 1,
  number: 1,
  units: 1_503,
  ...more,
})

/** The deployment has the name too. The row of the audit is that of `counted NAME`. */
export function outcomesOf(
  name: string,
  {
    cells = [cell()],
    ...more
  }: Partial<Omit<OutcomeRequest, 'cells'>> & { readonly cells?: readonly OutcomeCell[] } = {},
): OutcomeRequest & { readonly entry: AuditEntry } {
  const packed = packOutcomes(cells)
  const sums = sumsOf(more.deployment ?? name, packed)
  const entry = makeEntry({ at: NOW, requestId: `counted ${name}`, keyId: null, call: 'outcomes', sums })
  return {
    deployment: name,
    request: `id of ${name}`,
    body: `body of ${name}`,
    earlier: [],
    cells: packed,
    now: NOW,
    keptUntil: KEPT_UNTIL,
    entry,
    row: groupEntries([entry]),
    ...more,
  }
}

export async function countedIn(store: Store, name: string): Promise<number> {
  const read = await store.readOutcomes(name, 'D', ['', '9999-12'], [])
  return read.reduce((sum, { number }) => sum + number, 0)
}

/** Of all rows, oldest first. */
export async function auditedIds(store: Store): Promise<readonly string[]> {
  return (await store.readAudit({ most: 1_000 })).map((row) => factsOf(row).requestId)
}
