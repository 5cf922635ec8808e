/** Changes that do not change the truth: another way to write the same, and resources that do not count. The number stays. */
import type { Resource } from '../source.ts'
import {
  type Kind,
  adding,
  classOf,
  codingsIn,
  each,
  entriesIn,
  references,
  shuffled,
  texts,
  typeOf,
  withEntries,
  without,
} from './changes.ts'
import { LOCAL_SYSTEM, SAME_EQUIVALENCES, localCode } from './maps.ts'
import { SERVER, type Written } from './true-bundles.ts'

const idOf = (resource: Resource | undefined): string => String(resource?.['id'])
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+01:00$/
const times = (name: string, change: (text: string) => string): Kind => ({
  name,
  change: (written) => ({
    ...written,
    body: texts(written.body, (text) => (TIME.test(text) ? change(text) : text)) as Resource,
  }),
})
const restyled = (
  name: string,
  write: (resources: readonly Resource[], written: Written) => Resource,
): Kind => ({
  name,
  change: (written) => {
    const resources = entriesIn(written).map(({ resource }) => resource)
    return resources.length === 0 ? written : { ...written, body: write(resources, written) }
  },
})
const collection = (entry: readonly unknown[], type = 'collection'): Resource => ({
  resourceType: 'Bundle',
  type,
  entry,
})
const inUtc = (text: string): string => new Date(text).toISOString().replace('.000Z', 'Z')
const shuffledKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffledKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffledKeys(item)]),
  )
}
/** Synthea writes a transaction with a urn for each resource. */
const uuid = (name: string): string =>
  `urn:uuid:00000000-0000-4000-8000-${Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)}`
const asSynthea = (resources: readonly Resource[]): Resource => {
  const urns = new Map(
    resources.map((resource, at) => [`${typeOf(resource)}/${idOf(resource)}`, uuid(`n${at}`)]),
  )
  return collection(
    resources.map((resource) => ({
      fullUrl: urns.get(`${typeOf(resource)}/${idOf(resource)}`),
      resource: texts(resource, (text, key) => (key === 'reference' ? (urns.get(text) ?? text) : text)),
      request: { method: 'POST', url: typeOf(resource) },
    })),
    'transaction',
  )
}
const searchset = (resources: readonly Resource[]): Resource => ({
  ...collection(
    resources.map((resource) => ({ resource, search: { mode: 'match' } })),
    'searchset',
  ),
  total: resources.length,
})
const OTHER = { reference: 'Patient/p2' }
const ofOther = (resources: readonly Resource[]): readonly Resource[] =>
  resources
    .filter((resource) => typeOf(resource) !== 'Patient')
    .map((resource) => ({
      ...without(resource, 'identifier', 'encounter'),
      id: `x-${idOf(resource)}`,
      subject: OTHER,
    }))
const own = (written: Written, ...types: readonly string[]): readonly Resource[] =>
  entriesIn(written).flatMap(({ resource }) => (types.includes(typeOf(resource)) ? [resource] : []))
const copyOf = (resource: Resource, more: Resource): Resource => ({
  ...resource,
  id: `copy-${idOf(resource)}`,
  ...more,
})
const OIDS: Readonly<Record<string, string>> = {
  'http://loinc.org': 'urn:oid:2.16.840.1.113883.6.1',
  'http://snomed.info/sct': 'urn:oid:2.16.840.1.113883.6.96',
  'http://hl7.org/fhir/sid/icd-10': 'urn:oid:2.16.840.1.113883.6.3',
}
const inSystems =
  (name: Readonly<Record<string, string>>) =>
  (resource: Resource): Resource =>
    texts(resource, (text, key) => (key === 'system' ? (name[text] ?? text) : text)) as Resource
/** Values that may come in a panel: laboratory values and vital signs. */
const OF_PANELS = '718-7 2951-2 1751-7 2160-0 9279-1 2708-6 59408-5 8480-6 8867-4 8310-5 3150-6 3151-8'.split(
  ' ',
)
const inPanel = (resource: Resource): Resource => {
  const { code, valueQuantity, ...rest } = resource
  const isOfPanel = codingsIn(resource).some((each) => OF_PANELS.includes(String(each['code'])))
  if (valueQuantity === undefined || !isOfPanel) return resource
  const panel = { coding: [{ system: 'http://loinc.org', code: '85353-1' }] }
  return { ...rest, code: panel, component: [{ code, valueQuantity }] }
}
/** The diagnoses under codes of the site, which its maps know. */
export const mappedBy =
  (way: string) =>
  (resource: Resource): Resource => {
    const icd = codingsIn(resource).find(({ system }) => system === 'http://hl7.org/fhir/sid/icd-10')?.[
      'code'
    ]
    if (typeof icd !== 'string') return resource
    return { ...resource, code: { coding: [{ system: LOCAL_SYSTEM, code: localCode(way, icd) }] } }
  }
/** Lists of one element without their brackets, as converters from XML write them. */
const unlisted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 1 ? unlisted(value[0]) : value.map(unlisted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unlisted(item)]))
}
const NOTHING = { text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">x</div>' } }

export const SAME: readonly Kind[] = [
  {
    name: 'entries in reverse',
    change: (written) => withEntries(written, [...entriesIn(written)].reverse()),
  },
  {
    name: 'entries shuffled',
    change: (written, random) => withEntries(written, shuffled(entriesIn(written), random)),
  },
  {
    name: 'keys in reverse',
    change: (written) => ({ ...written, body: shuffledKeys(written.body) as Resource }),
  },
  {
    name: 'every entry twice',
    change: (written) => withEntries(written, [...entriesIn(written), ...entriesIn(written)]),
  },
  references('absolute references', (text) => (text.includes(':') ? text : `${SERVER}/${text}`)),
  references('references with a slash in front', (text) => (text.includes(':') ? text : `/${text}`)),
  references('references with a dot in front', (text) => (text.includes(':') ? text : `./${text}`)),
  references('references with a space behind', (text) => `${text} `),
  references('references with a version', (text) => `${text}/_history/2`),
  references('references with the default port', (text) =>
    text.includes(':') ? text : `https://h.example:443/fhir/${text}`,
  ),
  references('references with the host in capitals', (text) =>
    text.includes(':') ? text : `https://H.EXAMPLE/fhir/${text}`,
  ),
  references('references with two slashes', (text) =>
    text.includes(':') ? text : `https://h.example/fhir//${text}`,
  ),
  references('references with dots in the path', (text) =>
    text.includes(':') ? text : `https://h.example/a/../fhir/${text}`,
  ),
  references('references with an encoded letter', (text) => text.replace('Patient/p1', 'Patient/%701')),
  {
    name: 'other ids',
    change: (written) => ({
      ...written,
      body: texts(written.body, (text, key) => {
        if (key === 'id') return `new-${text}`
        return key === 'reference' || key === 'fullUrl' ? text.replace(/([A-Z]\w+\/)/, '$1new-') : text
      }) as Resource,
    }),
  },
  restyled('without addresses', (resources) => collection(resources.map((resource) => ({ resource })))),
  restyled('as a transaction with urns, like Synthea', asSynthea),
  restyled('as a searchset', searchset),
  restyled('as results of searches in a batch-response', (resources) =>
    collection(
      [...Map.groupBy(resources, typeOf).values()].map((ofType) => ({
        resource: searchset(ofType),
        response: { status: '200 OK' },
      })),
      'batch-response',
    ),
  ),
  restyled('as Parameters', (resources) => ({
    resourceType: 'Parameters',
    parameter: resources.map((resource) => ({ name: 'resource', resource })),
  })),
  restyled('as two Bundles in Parameters', (resources) => ({
    resourceType: 'Parameters',
    parameter: [resources.slice(0, 5), resources.slice(5)].map((part) => ({
      name: 'resource',
      resource: collection(part.map((resource) => ({ resource }))),
    })),
  })),
  times('times in UTC', inUtc),
  times('times with fractions of seconds', (text) => text.replace('+', '.000+')),
  times('times without seconds', (text) => text.replace(':00+', '+')),
  {
    name: 'asOf in UTC',
    change: (written) => ({
      ...written,
      query: { ...written.query, asOf: inUtc(written.query['asOf'] ?? '') },
    }),
  },
  adding('somebody else with the same history', (written) => [
    { resourceType: 'Patient', id: 'p2', gender: 'male', birthDate: '1950-01-01' },
    ...ofOther(entriesIn(written).map(({ resource }) => resource)),
  ]),
  adding('resources of somebody who is not in the body', (written) =>
    ofOther(entriesIn(written).map(({ resource }) => resource)),
  ),
  adding('resources of other types', () => [
    { resourceType: 'Claim', id: 'c', patient: { reference: 'Patient/p1' } },
    { resourceType: 'Medication', id: 'm' },
    { resourceType: 'OperationOutcome', issue: [{ severity: 'information', code: 'informational' }] },
  ]),
  adding('resources of other types that name the Encounters', (written) =>
    own(written, 'Encounter').flatMap(({ id, period }) => [
      {
        resourceType: 'Claim',
        id: `claim-${String(id)}`,
        patient: { reference: 'Patient/p1' },
        created: (period as Resource | undefined)?.['end'],
        item: [{ sequence: 1, encounter: [{ reference: `Encounter/${String(id)}` }] }],
      },
      {
        resourceType: 'List',
        id: `list-${String(id)}`,
        entry: [{ item: { reference: `Encounter/${String(id)}` } }],
      },
    ]),
  ),
  adding('stays that did not take place', (written) =>
    own(written, 'Encounter').flatMap((visit) =>
      ['planned', 'cancelled', 'entered-in-error'].map((status) =>
        copyOf(visit, { id: `${status}-${String(visit['id'])}`, status }),
      ),
    ),
  ),
  adding('mistaken values', (written) =>
    own(written, 'Observation').map((value) =>
      copyOf(value, { status: 'entered-in-error', valueQuantity: { value: 1 } }),
    ),
  ),
  adding('refuted diagnoses', (written) =>
    own(written, 'Condition').map((diagnosis) =>
      copyOf(diagnosis, {
        code: { coding: [{ system: 'http://hl7.org/fhir/sid/icd-10', code: 'F03' }] },
        verificationStatus: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code: 'refuted' }],
        },
      }),
    ),
  ),
  adding('ward moves of the stays', (written) =>
    own(written, 'Encounter')
      .filter((visit) => classOf(visit) === 'IMP')
      .map((visit) => copyOf(visit, { partOf: { reference: `Encounter/${String(visit['id'])}` } })),
  ),
  each('a text in words and meta', [], (resource) => ({ ...resource, ...NOTHING, meta: { versionId: '3' } })),
  each('an extension that changes nothing', [], (resource) => ({
    ...resource,
    extension: [{ url: 'https://h.example/note', valueString: 'modifierExtension' }],
  })),
  each('a local code beside the standard one', ['Condition', 'Observation'], (resource) => {
    const coding = codingsIn(resource)
    return {
      ...resource,
      code: { coding: [{ system: 'https://h.example/codes', code: 'X' }, ...coding] },
    }
  }),
  each(
    'ICD-10 codes without dots, in small letters',
    ['Condition'],
    (resource) =>
      texts(resource, (text, key) =>
        key === 'code' && /^[A-Z]\d/.test(text) ? text.replace('.', '').toLowerCase() : text,
      ) as Resource,
  ),
  each('haemoglobin and albumin in g/L', ['Observation'], (resource) => {
    const quantity = resource['valueQuantity'] as { value: number; code: string } | undefined
    if (quantity?.code !== 'g/dL') return resource
    return {
      ...resource,
      valueQuantity: { ...quantity, value: Number((quantity.value * 10).toFixed(1)), code: 'g/L' },
    }
  }),
  each('temperatures in Fahrenheit, pressures in kPa', ['Observation'], (resource) => {
    const quantity = resource['valueQuantity'] as { value: number; code: string } | undefined
    if (quantity?.code === 'Cel')
      return { ...resource, valueQuantity: { ...quantity, value: quantity.value * 1.8 + 32, code: '[degF]' } }
    if (quantity?.code !== 'mm[Hg]') return resource
    return { ...resource, valueQuantity: { ...quantity, value: quantity.value / 7.5, code: 'kPa' } }
  }),
  each('systems as OIDs', ['Condition', 'Observation'], inSystems(OIDS)),
  each(
    'ICD-10 under the name of another country',
    ['Condition'],
    inSystems({ 'http://hl7.org/fhir/sid/icd-10': 'http://hl7.org/fhir/sid/icd-10-es' }),
  ),
  each(
    'ICD-10 codes with a mark or a hyphen',
    ['Condition'],
    (resource) =>
      texts(resource, (text, key) =>
        key === 'code' && /^[A-Z]\d\d/.test(text) ? text + (text.length % 2 === 0 ? '+' : '!') : text,
      ) as Resource,
  ),
  ...[...SAME_EQUIVALENCES, 'listed'].map((way) =>
    each(`diagnoses under codes that maps of the site know (${way})`, ['Condition'], mappedBy(way)),
  ),
  each('lists of one without brackets', [], (resource) => unlisted(resource) as Resource),
  each('values as components of a panel', ['Observation'], inPanel),
  each('units as texts', ['Observation'], (resource) => {
    const quantity = resource['valueQuantity'] as { value: number; code: string } | undefined
    return quantity === undefined
      ? resource
      : { ...resource, valueQuantity: { value: quantity.value, unit: quantity.code } }
  }),
  each('subjects with a display', ['Encounter', 'Observation', 'Condition', 'Procedure'], (resource) => ({
    ...resource,
    subject: { ...(resource['subject'] as Resource), display: 'Patient 17', type: 'Patient' },
  })),
  each('values issued when they were taken', ['Observation'], (resource) => ({
    ...resource,
    issued: resource['effectiveDateTime'],
  })),
  each('without a clinical status, but with its end', ['Condition'], (resource) =>
    resource['abatementDateTime'] === undefined ? resource : without(resource, 'clinicalStatus'),
  ),
]
