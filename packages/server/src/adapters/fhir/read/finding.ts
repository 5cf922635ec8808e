/** What was found for a field: a value and the resources it came from, or the reason why the value is missing. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import type { Sentence } from 'patient-risk-engine/words'
import type { Entry } from './entry.ts'
import type { Subject } from './identities.ts'
import type { Submission } from './submission.ts'

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

const MOST_NAMED = 20
const MOST_JUDGED = 1_000

/**
 * Why the history of a patient is not complete: resources of a type that may be its own and may matter, a link to another record, or
 * parts of the body that were not read.
 */
export function findLeftOut(
  { leftOut, isElsewhere, patient }: Subject,
  { issues, narrowed }: Pick<Submission, 'issues' | 'narrowed'>,
  type: string,
  mayMatter: (entry: Entry) => boolean = () => true,
): Finding | undefined {
  const unread = issues.flatMap(({ severity, expression = [] }) => (severity === 'error' ? expression : []))
  const all = leftOut.get(type) ?? []
  // A long list is shared by many patients, and is not judged again for each of them.
  const unnamed = all.length > MOST_JUDGED ? all : all.filter(mayMatter)
  const part = narrowed.get(type)
  const parts = part?.from === Infinity ? [part.path] : []
  const links = isElsewhere ? [`${patient.path}.link`] : []
  const [first, ...more] = [
    ...unnamed.slice(0, MOST_NAMED).map(({ path }) => path),
    ...links,
    ...parts,
    ...unread,
  ]
  if (first === undefined) return undefined
  const places = [first, ...more].slice(0, MOST_NAMED).map(entryOf).join(', ')
  const why =
    unnamed.length > MOST_NAMED
      ? { text: FHIR_REASONS.leftOutMore, parts: { places, n: unnamed.length - MOST_NAMED } }
      : { text: FHIR_REASONS.leftOut, parts: { places } }
  const isUnnamed = unnamed.length > 0 && unnamed[0]?.unreadable === undefined
  return missing(why, isUnnamed ? `${first}.subject` : first, 'incomplete')
}

/** The entry of a resource, such as Bundle.entry[3]. */
export function entryOf(path: string): string {
  return path.replace(/\.resource$/, '')
}
