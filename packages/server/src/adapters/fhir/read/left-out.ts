/** Why "none" is not known of a patient: resources that may be its own and may matter, or parts of the body that were not read. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import type { Entry } from './body/entry.ts'
import type { Subject } from './body/subject.ts'
import type { Submission } from './body/submission.ts'
import { type Finding, entryOf, missing } from './finding.ts'

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
