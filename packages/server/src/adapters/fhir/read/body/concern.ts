/**
 * Whom a resource may concern whose subject is no Patient of the body, as a name. Resources with one name concern the same patients, so
 * that each patient is compared with the names, and not with the resources.
 */
import type { Entry } from './entry.ts'
import { type Link, hasOneOf, mayHave } from './persons.ts'
import { addressIn, shortIn } from './references.ts'

export const ANYBODY = 'anybody'
export const SOMEBODY_ELSE = 'somebody else'
/** A urn that the body does not hold. */
export const A_URN = 'urn:'
const IDENTIFIED = 'identified by '
const NAMED = 'named with identifiers: '
const OF_ENCOUNTER = 'of the patient of an Encounter: '

/** Those who may have one of these identifiers. */
export function identifiedBy(identifiers: readonly string[]): string {
  return IDENTIFIED + identifiers.join('\n')
}

/** Those with this type and id, or with one of these identifiers. */
export function namedOrIdentified(short: string, identifiers: readonly string[]): string {
  return `${NAMED}${short}\n${identifiers.join('\n')}`
}

/** The patient of the Encounter that the resource belongs to. */
export function ofEncounterOf(patient: Entry): string {
  return OF_ENCOUNTER + patient.key
}

/** Whether a name may mean a patient. Anybody is not asked for: that is everybody. */
export function concernOf(patient: Entry, links: readonly Link[]): (name: string) => boolean {
  const { short, key } = patient
  const inUrl = addressIn(key)
  // Ids have a case in FHIR, and many systems that send them do not keep it.
  const own = new Set(
    [short, inUrl === undefined ? short : shortIn(inUrl), ...links.map((link) => link.short)].map((each) =>
      each.toLowerCase(),
    ),
  )
  const numbers = new Set(links.flatMap(({ identifiers }) => identifiers))
  return (name) => {
    if (own.has(name.toLowerCase()) || name === OF_ENCOUNTER + key) return true
    // One without a urn may have one elsewhere, and a Patient without an id may be the one that any of them names.
    if (name === A_URN) return !key.startsWith(A_URN)
    if (name.startsWith(NAMED)) {
      const [named = '', ...identifiers] = name.slice(NAMED.length).split('\n')
      const isKnown = hasOneOf(patient, identifiers) || identifiers.some((each) => numbers.has(each))
      return isKnown || own.has(named.toLowerCase())
    }
    if (name.startsWith(IDENTIFIED)) {
      const identifiers = name.slice(IDENTIFIED.length).split('\n')
      return mayHave(patient, identifiers) || identifiers.some((each) => numbers.has(each))
    }
    return short === '' && name.startsWith('Patient/')
  }
}
