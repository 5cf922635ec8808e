/** Encounters that were not sent, and that resources of types name which are not read; and types that FHIR does not have. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { isFhirType } from '@patient-risk/catalog'
import { type RecordCase, checkRecords } from '../record-cases.ts'
import { OLD, type Resource, STAY, bundle, patient, recordsOf } from '../source.ts'

const COMPLETE = { history: 'complete' }
const REFERENCE = 'Encounter/lost'
const P = { reference: 'Patient/p' }

/** Each names an Encounter that the Bundle does not hold. */
const NAMING: Readonly<Record<string, Resource>> = {
  'a Claim': { resourceType: 'Claim', patient: P, item: [{ encounter: [{ reference: REFERENCE }] }] },
  'a List': { resourceType: 'List', subject: P, entry: [{ item: { reference: REFERENCE } }] },
  'a List of today': {
    resourceType: 'List',
    subject: P,
    date: '2026-11-15',
    entry: [{ item: { reference: REFERENCE } }],
  },
  'a List of nobody': { resourceType: 'List', entry: [{ item: { reference: REFERENCE } }] },
  'a Task': { resourceType: 'Task', for: P, encounter: { reference: REFERENCE } },
  'a MedicationRequest with a urn': {
    resourceType: 'MedicationRequest',
    subject: P,
    encounter: { reference: 'urn:uuid:0c7b5d2e-0000-4000-8000-000000000000' },
  },
  'a Claim of the first day of the window': {
    resourceType: 'Claim',
    patient: P,
    created: '2025-03-02',
    item: [{ encounter: { reference: REFERENCE } }],
  },
}

/** Each leaves the history complete. */
const HARMLESS: Readonly<Record<string, Resource>> = {
  'names a stay that was sent': {
    resourceType: 'Claim',
    patient: P,
    item: [{ encounter: [{ reference: 'Encounter/old' }] }],
  },
  'was written before the window': {
    resourceType: 'Claim',
    patient: P,
    created: '2025-03-01',
    meta: { lastUpdated: '2026-01-01T00:00:00Z' },
    item: [{ encounter: [{ reference: REFERENCE }] }],
  },
  'is of somebody else': {
    resourceType: 'Claim',
    patient: { reference: 'Patient/q' },
    item: [{ encounter: { reference: REFERENCE } }],
  },
  'was a mistake': {
    resourceType: 'List',
    status: 'entered-in-error',
    subject: P,
    entry: [{ item: { reference: REFERENCE } }],
  },
  'names something else': {
    resourceType: 'MedicationRequest',
    subject: P,
    requester: { reference: 'urn:uuid:0c7b5d2e-0000-4000-8000-000000000000' },
    basedOn: [{ reference: 'CarePlan/lost' }],
  },
}

checkRecords([
  ...Object.entries(NAMING).map(([name, resource]) => ({
    name: `an Encounter that was not sent, and that ${name} names, leaves the count open`,
    resources: [STAY, OLD, resource],
    query: COMPLETE,
    record: { inpatientAdmissions: null, emergencyAdmissions: null, stayDays: 7 },
    why: { inpatientAdmissions: /An Encounter that Bundle\.entry\[3\] names was not sent/ },
  })),
  ...Object.entries(HARMLESS).map(([name, resource]) => ({
    name: `a resource of another type that ${name} leaves the count as it is`,
    resources: [STAY, OLD, resource],
    query: COMPLETE,
    record: { inpatientAdmissions: 1, emergencyAdmissions: 0, stayDays: 7 },
  })),
  ...['Encounters', 'encounter', ' Encounter', 'Admission', 'EncounterHistory', 'constructor'].map(
    (resourceType) => ({
      name: `a resource of the type "${resourceType}" may be a stay`,
      resources: [STAY, { ...OLD, resourceType }],
      query: COMPLETE,
      record: { inpatientAdmissions: null, stayDays: 7 },
      why: { inpatientAdmissions: /left out.*Bundle\.entry\[2\]/ },
    }),
  ),
  ...['Claim', 'Transport', 'MedicationOrder'].map((resourceType) => ({
    name: `a resource of the type ${resourceType}, which a version of FHIR has, is no stay`,
    resources: [STAY, OLD, { resourceType, subject: P }],
    query: COMPLETE,
    record: { inpatientAdmissions: 1 },
  })),
] satisfies readonly RecordCase[])

test('what names an Encounter that was not sent is doubt for its own patient', () => {
  const of = (id: string, resource: Resource): Resource => ({
    ...resource,
    id: `${id}-${String(resource['id'])}`,
    subject: { reference: `Patient/${id}` },
  })
  const found = recordsOf(
    bundle(patient({ id: 'p' }), of('p', STAY), patient({ id: 'q' }), of('q', STAY), {
      resourceType: 'Claim',
      patient: P,
      item: [{ encounter: { reference: REFERENCE } }],
    }),
    COMPLETE,
  )
  assert.deepEqual(
    found.map(({ record }) => record['inpatientAdmissions']),
    [undefined, 0],
  )
})

test('every type of FHIR in its versions is known, but for the history of Encounters', () => {
  const require = createRequire(import.meta.url)
  for (const version of ['dstu2', 'stu3', 'r4', 'r5']) {
    const { type2Parent: parents } = require(`fhirpath/fhir-context/${version}`) as {
      type2Parent: Readonly<Record<string, string>>
    }
    const isResource = (type = ''): boolean =>
      type === 'Resource' || (type !== '' && isResource(parents[type]))
    const abstract = ['Resource', 'DomainResource', 'CanonicalResource', 'MetadataResource']
    const types = Object.keys(parents).filter((type) => isResource(type) && !abstract.includes(type))
    assert.ok(types.length > 90)
    assert.deepEqual(
      types.filter((type) => !isFhirType(type)),
      version === 'r5' ? ['EncounterHistory'] : [],
    )
  }
})
