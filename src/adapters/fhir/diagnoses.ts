/** A patient's Conditions as groups of diagnoses, by prefixes of ICD-10 codes. */
import { codingsOf, isObject } from './json.ts'
import type { Mapping } from './mapping.ts'
import { parseMoment } from './moment.ts'
import type { Entry, Subject, Submission } from './submission.ts'
import type { Timeline } from './timeline.ts'

export interface Diagnosis {
  readonly entry: Entry
  readonly groups: ReadonlySet<string>
  /** Whether it has a code of a known system. */
  readonly isCoded: boolean
  /** Whether it belongs to the index stay or began in it. */
  readonly isOfStay: boolean
}

/** The Conditions that are present and confirmed, or of which nothing is said about that. */
export function readDiagnoses(
  { entries }: Subject,
  { resolve }: Submission,
  rules: Mapping['diagnoses'],
  timeline: Timeline,
): readonly Diagnosis[] {
  const isPresent = ({ resource }: Entry): boolean =>
    hasStatus(resource['clinicalStatus'], rules.clinicalStatuses) &&
    hasStatus(resource['verificationStatus'], rules.verificationStatuses)
  return entries
    .filter((entry) => entry.type === 'Condition' && isPresent(entry))
    .map((entry) => {
      const { encounter, onsetDateTime, recordedDate, code } = entry.resource
      const codes = codingsOf(code)
        .filter(({ system }) => rules.systems.includes(system))
        .map((coding) => coding.code.replaceAll('.', '').toUpperCase())
      const moment = parseMoment(onsetDateTime ?? recordedDate)
      const of = isObject(encounter) ? resolve(encounter['reference'], entry) : undefined
      const isOfStay = onsetDateTime === undefined ? timeline.isIndex(of) || isIn(moment) : isIn(moment)
      return { entry, groups: groupsOf(codes, rules.groups), isCoded: codes.length > 0, isOfStay }
    })

  function isIn(moment: ReturnType<typeof parseMoment>): boolean {
    return moment !== undefined && moment.day >= timeline.anchor
  }
}

function hasStatus(status: unknown, permitted: readonly string[]): boolean {
  if (status === undefined) return true
  return codingsOf(status).some(({ code }) => permitted.includes(code))
}

function groupsOf(codes: readonly string[], groups: Mapping['diagnoses']['groups']): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [name, group] of Object.entries(groups)) {
    const { prefixes, except } = Array.isArray(group) ? { prefixes: group, except: [] } : group
    const starts = (code: string) => (prefix: string) => code.startsWith(prefix)
    if (codes.some((code) => prefixes.some(starts(code)) && !except.some(starts(code)))) found.add(name)
  }
  return found
}
