/** Maps of a site for the changes: each diagnosis of the true Bundles under a code of its own system, by every way that a map has. */
import { GROUP_SYSTEM, type Mapping, icdCodes, readMaps } from '@patient-risk/catalog'
import { mapping } from '../../../../../../test/support/mapping.ts'
import type { Resource } from '../source.ts'

export const LOCAL_SYSTEM = 'https://h.example/problems'
/** Those that say enough of the target, and those that leave it open. */
export const SAME_EQUIVALENCES = ['equal', 'equivalent']
export const OTHER_EQUIVALENCES = [
  ...['wider', 'subsumes', 'narrower', 'specializes', 'inexact', 'relatedto', 'unmatched', 'disjoint'],
]
/** What is not so of a code: a target that `disjoint` and `unmatched` name. */
const NOT_SO = 'I50.0'

/** The code that a map translates by an equivalence, or that value sets list (`listed`). */
export function localCode(way: string, icd: string): string {
  return `${way}-${icd}`
}

export function mappingWithMaps(diagnoses: readonly string[]): Mapping {
  const element = [...SAME_EQUIVALENCES, ...OTHER_EQUIVALENCES].flatMap((equivalence) =>
    diagnoses.map((icd) => ({
      code: localCode(equivalence, icd),
      target: [{ equivalence, code: ['unmatched', 'disjoint'].includes(equivalence) ? NOT_SO : icd }],
    })),
  )
  const map = {
    resourceType: 'ConceptMap',
    status: 'active',
    group: [{ source: LOCAL_SYSTEM, target: 'http://hl7.org/fhir/sid/icd-10', element }],
  }
  const sets = Object.entries(mapping.diagnoses.groups).map(([name, group]) => {
    const { prefixes, except = [] } = Array.isArray(group) ? { prefixes: group } : group
    const isOne = (list: readonly string[], icd: string): boolean =>
      list.some((prefix) => icdCodes(icd)[0]?.startsWith(prefix))
    return valueSet(
      name,
      diagnoses.filter((icd) => isOne(prefixes, icd) && !isOne(except, icd)),
    )
  })
  const values = [map, ...sets, valueSet('known', diagnoses)]
  const files = values.map((value, at) => ({ file: `${at}.json`, value }))
  const faults: never[] = []
  const maps = readMaps(files, mapping.diagnoses, faults)
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  return { ...mapping, maps }
}

function valueSet(name: string, diagnoses: readonly string[]): Resource {
  // A set without a code would say nothing of its system.
  const concept = [...diagnoses, name].map((icd) => ({ code: localCode('listed', icd) }))
  return {
    resourceType: 'ValueSet',
    status: 'active',
    identifier: [{ system: GROUP_SYSTEM, value: name }],
    compose: { include: [{ system: LOCAL_SYSTEM, concept }] },
  }
}
