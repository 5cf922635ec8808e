/** What was found for a field: a value and the resources it came from, or the reason why the value is missing. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import type { Sentence } from 'patient-risk-engine/words'
import type { Entry } from './body/entry.ts'

export type ReasonText = (typeof FHIR_REASONS)[keyof typeof FHIR_REASONS]

/** A sentence that every language has. */
export interface Reason extends Sentence {
  readonly text: ReasonText
}

export interface Finding {
  readonly value?: unknown
  readonly from: readonly Entry[]
  readonly why?: Reason | undefined
  /** The element that holds the value, or that is at fault. */
  readonly at?: string | undefined
  /** From the value set issue-type of R4. */
  readonly code?: string | undefined
}

export type FoundValue = Pick<Finding, 'value' | 'why' | 'code'>

/** `why` is a sentence, or the text of one without parts. */
export function missing(why: ReasonText | Reason, at?: string, code?: string): Finding {
  return { why: typeof why === 'string' ? { text: why } : why, from: [], at, code }
}

export function foundAt(
  at: string,
  entry: Entry,
  { value = null, why, code = 'value' }: FoundValue,
): Finding {
  return why === undefined ? { value, from: [entry], at } : missing(why, at, code)
}

/** The entry of a resource, such as Bundle.entry[3]. */
export function entryOf(path: string): string {
  return path.replace(/\.resource$/, '')
}
