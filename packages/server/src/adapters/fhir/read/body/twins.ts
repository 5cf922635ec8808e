/** Patients of a body who may be one person, because they have one number. */
import type { Entry } from './entry.ts'
import { identifiersOf, systemOf, valueOf } from './identifiers.ts'

/** More records than that with one bare number are not told apart one by one. */
const MOST_COMPARED = 20

interface Numbered {
  readonly patient: Entry
  readonly identifier: string
}

/** For a Patient another one with the same identifier, or with the same value where one of the two lacks its system. */
export function twinsIn(patients: readonly Entry[]): ReadonlyMap<Entry, Entry> {
  const twins = new Map<Entry, Entry>()
  const pair = (one: Entry, other: Entry): void => {
    if (one === other) return
    twins.set(one, other)
    twins.set(other, one)
  }
  const numbered = patients.flatMap((patient) =>
    identifiersOf(patient.resource).map((identifier) => ({ patient, identifier })),
  )
  for (const alike of Map.groupBy(numbered, ({ identifier }) => valueOf(identifier)).values()) {
    if (alike.length > 1) pairsOf(alike, pair)
  }
  return twins
}

/** Of those with one value. */
function pairsOf(alike: readonly Numbered[], pair: (one: Entry, other: Entry) => void): void {
  const first = new Map<string, Entry>()
  for (const { patient, identifier } of alike) {
    const known = first.get(identifier) ?? patient
    first.set(identifier, known)
    pair(known, patient)
  }
  const isBare = ({ identifier }: Numbered): boolean => systemOf(identifier) === ''
  const bare = alike.filter(isBare)
  const named = alike.filter((each) => !isBare(each))
  const isMany = alike.length > MOST_COMPARED
  for (const { patient } of isMany ? bare.slice(0, 1) : bare)
    for (const other of named)
      if (isMany || !areToldApart(patient, other.patient)) pair(patient, other.patient)
  // Each of many has the first of the others for a twin.
  const [one] = named
  if (isMany && one !== undefined) for (const { patient } of bare) pair(patient, one.patient)
}

/** Two records with numbers of one system, none of which they share, are of two persons. */
function areToldApart(one: Entry, other: Entry): boolean {
  const systems = new Set(identifiersOf(one.resource).map(systemOf))
  return identifiersOf(other.resource).some((each) => systemOf(each) !== '' && systems.has(systemOf(each)))
}
