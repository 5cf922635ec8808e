/**
 * Changes that lose or contradict something in a way that one resource alone does not show: a stay that others still name, a result that
 * was asked for in part, a second record, a system in another spelling. The number stays, or is missing with a reason.
 */
import type { Resource } from '../source.ts'
import {
  type Kind,
  adding,
  changing,
  classOf,
  each,
  entriesIn,
  one,
  texts,
  typeOf,
  withEntries,
  without,
} from './changes.ts'
import type { Written } from './true-bundles.ts'

type Entries = ReturnType<typeof entriesIn>

const isEarlierStay = (resource: Resource | undefined): boolean => /^stay\d$/.test(String(resource?.['id']))
const isEarlierVisit = (resource: Resource | undefined): boolean => /^visit\d$/.test(String(resource?.['id']))
const SUBJECT = { reference: 'Patient/p1' }

/** Changes the entries of the earlier stays. Without such a stay nothing is changed. */
export function losing(
  name: string,
  change: (kept: Entries, lost: Entries, written: Written) => Written,
): Kind {
  const kind = changing(name, (written) => {
    const lost = entriesIn(written).filter(({ resource }) => isEarlierStay(resource))
    const kept = entriesIn(written).filter(({ resource }) => !isEarlierStay(resource))
    return lost.length === 0 ? written : change(kept, lost, written)
  })
  return { ...kind, isLast: true }
}

/** What remains of stays that are gone: a resource that names each of them. */
const naming = (name: string, make: (reference: string, start: string, at: number) => Resource): Kind =>
  losing(`earlier stays are gone, and ${name} names them`, (kept, lost, written) =>
    withEntries(written, [
      ...kept,
      ...lost.map(({ resource }, at) => {
        const { start = '' } = (resource['period'] ?? {}) as { start?: string }
        return { resource: make(`Encounter/${String(resource['id'])}`, start, at) }
      }),
    ]),
  )

export const asked = (name: string, query: string): Kind =>
  losing(`a result that was asked for ${name}`, (kept, _lost, written) => {
    const changed = withEntries(written, kept)
    const link = [{ relation: 'self', url: `https://h.example/fhir/${query}` }]
    return { ...changed, body: { ...changed.body, type: 'searchset', link } }
  })

/** The earlier stays under another record, which a resource says to be of the same person. */
const elsewhere = (name: string, make: () => Resource): Kind =>
  losing(`earlier stays under a second record, which ${name} connects`, (kept, lost, written) =>
    withEntries(written, [
      ...kept,
      ...lost.map(({ resource }) => ({
        resource: { ...without(resource, 'identifier'), subject: { reference: 'Patient/p7' } },
      })),
      { resource: { resourceType: 'Patient', id: 'p7', gender: 'female', birthDate: '1950-01-01' } },
      { resource: make() },
    ]),
  )

const spelled = (name: string, spell: (system: string) => string): Kind =>
  one(
    `one code system ${name}`,
    ['Observation', 'Condition', 'Encounter'],
    (resource) =>
      texts(resource, (text, key) =>
        key === 'system' && text.startsWith('http://') && !text.includes('h.example') ? spell(text) : text,
      ) as Resource,
  )

const inDocument = (status: string): Kind =>
  changing(`a document that is ${status}`, (written) => {
    const composition = {
      resourceType: 'Composition',
      status,
      type: { text: 'Discharge summary' },
      subject: SUBJECT,
      title: 'x',
    }
    const changed = withEntries(written, [{ resource: composition }, ...entriesIn(written)])
    return { ...changed, body: { ...changed.body, type: 'document' } }
  })

export const LOST: readonly Kind[] = [
  naming('a value', (reference, start, at) => ({
    resourceType: 'Observation',
    id: `left${at}`,
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code: '2345-7' }] },
    subject: SUBJECT,
    encounter: { reference },
    effectiveDateTime: start,
    valueQuantity: { value: 5, system: 'http://unitsofmeasure.org', code: 'mmol/L' },
  })),
  naming('a diagnosis', (reference, start, at) => ({
    resourceType: 'Condition',
    id: `left${at}`,
    code: { coding: [{ system: 'http://hl7.org/fhir/sid/icd-10', code: 'J18.9' }] },
    subject: SUBJECT,
    encounter: { reference },
    recordedDate: start,
  })),
  naming('a procedure without a date', (reference, _start, at) => ({
    resourceType: 'Procedure',
    id: `left${at}`,
    status: 'completed',
    subject: SUBJECT,
    encounter: { reference },
  })),
  naming('a claim', (reference, start, at) => ({
    resourceType: 'Claim',
    id: `left${at}`,
    patient: SUBJECT,
    created: start,
    item: [{ sequence: 1, encounter: [{ reference }] }],
  })),
  naming('a list of nobody', (reference, _start, at) => ({
    resourceType: 'List',
    id: `left${at}`,
    date: '2026-03-01',
    entry: [{ item: { reference } }],
  })),
  losing(
    'earlier stays under a second record with the same number, without its system',
    (kept, lost, written) =>
      withEntries(written, [
        ...kept,
        ...lost.map(({ resource }) => ({
          resource: { ...without(resource, 'identifier'), subject: { reference: 'Patient/p7' } },
        })),
        {
          resource: {
            resourceType: 'Patient',
            id: 'p7',
            identifier: [{ value: '17' }],
            birthDate: '1950-01-01',
          },
        },
      ]),
  ),
  ...['Encounters', 'Admission', 'EncounterHistory'].map((resourceType) =>
    losing(`earlier stays as resources of the type ${resourceType}`, (kept, lost, written) =>
      withEntries(written, [
        ...kept,
        ...lost.map((entry) => ({ ...entry, resource: { ...entry.resource, resourceType } })),
      ]),
    ),
  ),
  losing('an entry twice in place of one that is lost, with the right total', (kept, lost, written) => {
    const changed = withEntries(written, [...kept, ...lost.slice(1), kept[1]])
    return { ...changed, body: { ...changed.body, type: 'searchset', total: kept.length + lost.length } }
  }),
  asked('from a day on', 'Encounter?patient=p1&date=ge2026-01-25'),
  asked('with one class', 'Encounter?patient=p1&class=EMER'),
  asked('with a date of change', 'Encounter?subject=Patient/p1&_lastUpdated=gt2026-01-25'),
  asked('with a status', 'Encounter?patient=p1&status=in-progress'),
  asked('in a form', 'Encounter/_search?patient=p1&service-type=124'),
  elsewhere('a Person', () => ({
    resourceType: 'Person',
    id: 'x',
    link: [{ target: { reference: 'Patient/p1' } }, { target: { reference: 'Patient/p7' } }],
  })),
  elsewhere('a Linkage', () => ({
    resourceType: 'Linkage',
    id: 'x',
    item: [
      { type: 'source', resource: { reference: 'Patient/p1' } },
      { type: 'alternate', resource: { reference: 'Patient/p7' } },
    ],
  })),
  losing('earlier stays under an old id, with the number of the patient', (kept, lost, written) =>
    withEntries(written, [
      ...kept,
      ...lost.map(({ resource, ...entry }) => ({
        ...entry,
        resource: {
          ...resource,
          subject: { reference: 'Patient/old', identifier: { system: 'urn:example:mrn', value: '17' } },
        },
      })),
    ]),
  ),
  one('one resource whose type is in small letters', ['Encounter', 'Condition', 'Procedure'], (resource) => ({
    ...resource,
    resourceType: typeOf(resource).toLowerCase(),
  })),
  losing('earlier stays in Parameters within the Bundle', (kept, lost, written) =>
    withEntries(written, [
      ...kept,
      {
        resource: {
          resourceType: 'Parameters',
          parameter: lost.map(({ resource }) => ({ name: 'x', resource })),
        },
      },
    ]),
  ),
  losing('earlier stays in a second list of entries, in capitals', (kept, lost, written) => {
    const changed = withEntries(written, kept)
    return { ...changed, body: { ...changed.body, Entry: lost } }
  }),
  losing('a search for earlier stays that failed, with a number for its status', (kept, _lost, written) => {
    const empty = { resourceType: 'Bundle', type: 'searchset', entry: [] }
    const changed = withEntries(written, [...kept, { resource: empty, response: { status: 500 } }])
    return { ...changed, body: { ...changed.body, type: 'batch-response' } }
  }),
  inDocument('entered-in-error'),
  inDocument('preliminary'),
  changing('a transaction that deletes what it holds', (written) => {
    const deletions = entriesIn(written).flatMap(({ resource }) =>
      isEarlierStay(resource) || isEarlierVisit(resource)
        ? [{ request: { method: 'DELETE', url: `${typeOf(resource)}/${String(resource['id'])}` } }]
        : [],
    )
    if (deletions.length === 0) return written
    const changed = withEntries(written, [...entriesIn(written), ...deletions])
    return { ...changed, body: { ...changed.body, type: 'transaction' } }
  }),
  adding('emergency visits twice without a number', (written) =>
    entriesIn(written)
      .filter(({ resource }) => isEarlierVisit(resource))
      .map(({ resource }) => ({ ...without(resource, 'identifier'), id: `twice-${String(resource['id'])}` })),
  ),
  adding('a visit in which the patient died', (written) =>
    entriesIn(written)
      .filter(({ resource }) => isEarlierVisit(resource) || isEarlierStay(resource))
      .slice(0, 1)
      .map(({ resource }) => ({
        ...without(resource, 'identifier'),
        id: 'died',
        period: { start: '2026-01-16T09:00:00+01:00', end: '2026-01-16T11:00:00+01:00' },
        class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
        serviceType: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/service-type', code: '165' }],
        },
        hospitalization: {
          dischargeDisposition: {
            coding: [{ system: 'http://terminology.hl7.org/CodeSystem/discharge-disposition', code: 'exp' }],
          },
        },
      })),
  ),
  spelled('with https', (system) => system.replace('http:', 'https:')),
  spelled('with a slash at its end', (system) => `${system}/`),
  spelled('with a space', (system) => ` ${system}`),
  spelled('in capitals', (system) => system.toUpperCase()),
  one(
    'one code with spaces',
    ['Observation', 'Condition', 'Encounter'],
    (resource) => texts(resource, (text, key) => (key === 'code' ? ` ${text} ` : text)) as Resource,
  ),
  one('one class that contradicts itself', ['Encounter'], (resource) => ({
    ...resource,
    class: {
      coding: [
        resource['class'],
        {
          system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode',
          code: classOf(resource) === 'IMP' ? 'EMER' : 'IMP',
        },
      ],
    },
  })),
  one('one unit whose text contradicts its code', ['Observation'], (resource) => {
    const quantity = resource['valueQuantity'] as { value: number; code: string } | undefined
    if (quantity?.code === 'g/dL') {
      const valueQuantity = { ...quantity, value: quantity.value * 10, code: 'g/L', unit: 'g/dL' }
      return { ...resource, valueQuantity }
    }
    return resource
  }),
  each('values of long ago that name the index stay', ['Observation'], (resource) =>
    /^(hb|na|crea|alb)\d?$/.test(String(resource['id'])) && resource['id'] !== 'hb9'
      ? { ...resource, effectiveDateTime: '2023-01-05T10:00:00+01:00' }
      : resource,
  ),
  changing('questions with two answers', (written) => {
    const [index] = entriesIn(written).filter(({ resource }) => resource['id'] === 'index')
    if (index === undefined) return written
    const { end = '' } = (index.resource['period'] ?? {}) as { end?: string }
    const response = {
      resourceType: 'QuestionnaireResponse',
      id: 'answers',
      status: 'completed',
      subject: SUBJECT,
      authored: end.replace('T12', 'T11'),
      item: [{ linkId: 'barthel_total', answer: [{ valueInteger: 20 }, { valueInteger: 90 }] }],
    }
    return withEntries(written, [...entriesIn(written), { resource: response }])
  }),
  each('an end that is hidden, of a stay that goes on', ['Encounter'], (resource) =>
    resource['id'] === 'index'
      ? {
          ...resource,
          status: 'in-progress',
          period: {
            ...without(resource['period'] as Resource, 'end'),
            _end: {
              extension: [
                { url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'masked' },
              ],
            },
          },
        }
      : resource,
  ),
]
