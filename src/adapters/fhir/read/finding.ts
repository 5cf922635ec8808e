/** What was found for a field: a value and the resources it came from, or the reason why the value is missing. */
import type { Entry } from './identities.ts'

export interface Finding {
  readonly value?: unknown
  readonly from: readonly Entry[]
  readonly why?: string | undefined
  /** The element that holds the value, or that is at fault. */
  readonly at?: string | undefined
  /** From the value set issue-type of R4. */
  readonly code?: string | undefined
}

export type Found = Pick<Finding, 'value' | 'why' | 'code'>

export function missing(why: string, at?: string, code?: string): Finding {
  return { why, from: [], at, code }
}

export function foundAt(at: string, entry: Entry, { value = null, why, code = 'value' }: Found): Finding {
  return why === undefined ? { value, from: [entry], at } : missing(why, at, code)
}
