/** Which rows of the audit are wanted: by key, deployment, time, outcome and kind of call. */

/** What a filter looks at in a row. */
interface FilteredFacts {
  readonly at: string
  readonly keyId: string | null
  readonly call: string
  readonly deployment?: string | null
  readonly status?: number
}

export interface AuditFilter {
  readonly keyId?: string
  readonly deployment?: string
  /** ISO times: rows from the first on, and before the second. */
  readonly from?: string
  readonly to?: string
  readonly outcome?: 'answered' | 'refused'
  readonly calls?: 'scoring' | 'management'
}

export function passesFilter(facts: FilteredFacts, filter: AuditFilter): boolean {
  const { keyId, deployment, from, to, outcome, calls } = filter
  if (keyId !== undefined && facts.keyId !== keyId) return false
  if (deployment !== undefined && facts.deployment !== deployment) return false
  if (from !== undefined && facts.at < from) return false
  if (to !== undefined && facts.at >= to) return false
  if (outcome !== undefined && (outcome === 'refused') !== (facts.status ?? 0) >= 400) return false
  return calls === undefined || (calls === 'scoring') === isScoring(facts.call)
}

/** Calls that judge or score records; all others read the catalogue or manage keys. */
function isScoring(call: string): boolean {
  return /^(score|validate|explain|stream)/.test(call)
}
