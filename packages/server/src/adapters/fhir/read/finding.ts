/** What was found for a field: a value and the resources it came from, or the reason why the value is missing. */
import type { Entry } from './entry.ts'
import type { Subject } from './identities.ts'
import type { Submission } from './submission.ts'

export interface Finding {
  readonly value?: unknown
  readonly from: readonly Entry[]
  readonly why?: string | undefined
  /** The element that holds the value, or that is at fault. */
  readonly at?: string | undefined
  /** From the value set issue-type of R4. */
  readonly code?: string | undefined
}

export type FoundValue = Pick<Finding, 'value' | 'why' | 'code'>

export function missing(why: string, at?: string, code?: string): Finding {
  return { why, from: [], at, code }
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
  const names = [first, ...more].slice(0, MOST_NAMED).map(entryOf)
  const rest = unnamed.length > MOST_NAMED ? ` and ${unnamed.length - MOST_NAMED} more` : ''
  const why = `What may belong to this patient was left out, so the history is not complete: ${names.join(', ')}${rest}.`
  const isUnnamed = unnamed.length > 0 && unnamed[0]?.unreadable === undefined
  return missing(why, isUnnamed ? `${first}.subject` : first, 'incomplete')
}

/** The entry of a resource, such as Bundle.entry[3]. */
export function entryOf(path: string): string {
  return path.replace(/\.resource$/, '')
}
