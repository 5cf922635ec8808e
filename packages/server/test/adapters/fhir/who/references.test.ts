/**
 * Whose a resource is, however its reference is written. The Patient is https://h.example/fhir/Patient/p1, with a stay from 2 to 9
 * March 2026 and an earlier one, whose reference is written in many ways: it counts, or it is doubt, or it is of somebody else.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressIn, keyIn } from '../../../../src/adapters/fhir/read/body/references.ts'
import { OLD, type Resource, STAY, encounter, patient, recordsOf } from '../source.ts'
import { whyOf } from '../why-of.ts'

const BASE = 'https://h.example/fhir'
const QUERY = { asOf: '2026-03-09', history: 'complete' }
const at = (resource: Resource, reference: unknown, base: string | undefined = BASE): Resource => ({
  ...(base === ''
    ? {}
    : { fullUrl: `${base}/${String(resource['resourceType'])}/${String(resource['id'])}` }),
  resource: { ...resource, ...(reference === undefined ? {} : { subject: { reference } }) },
})

/** The admissions of the patient where the earlier stay has this reference; null: not known. */
function admissions(reference: string, base = BASE, ofPatient = BASE): unknown {
  const [found] = recordsOf(
    {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        at(patient({ id: 'p1' }), undefined, ofPatient),
        at(STAY, 'Patient/p1', ofPatient),
        at(OLD, reference, base),
      ],
    },
    QUERY,
  )
  assert.equal(found?.record['stayDays'], 7)
  return found.record['inpatientAdmissions'] ?? null
}

const SAME = [
  'Patient/p1',
  '/Patient/p1',
  './Patient/p1',
  '../Patient/p1',
  'Patient/p1 ',
  ' Patient/p1',
  'Patient/p1/',
  'Patient//p1',
  'Patient/p%31',
  'Patient/p1/_history/3',
  'https://h.example/fhir/Patient/p1',
  'https://h.example:443/fhir/Patient/p1',
  'HTTPS://H.EXAMPLE/fhir/Patient/p1',
  'https://h.example/fhir//Patient/p1',
  'https://h.example//fhir/Patient/p1',
  'https://h.example/x/../fhir/./Patient/p1',
  'https://h.example/fhir/Patient/p1/',
  'https://h.example/fhir/Patient/p1\n',
  'https://h.example/%66hir/Patient/p1',
]
const DOUBT = [
  'http://h.example/fhir/Patient/p1',
  'https://h.example:8443/fhir/Patient/p1',
  'https://fhir.h.example/r4/Patient/p1',
  'https://h.example/FHIR/Patient/p1',
  'https://anna@h.example/fhir/Patient/p1',
  '//h.example/fhir/Patient/p1',
  'Patient/p1|2',
  'Patient/p1#a',
  'patient/p1',
  'p1',
  'Patient?_id=p1',
  'urn:uuid:0c7b5d2e-0000-4000-8000-000000000000',
]
const SOMEBODY_ELSE = ['Patient/p2', '/Patient/p2', 'http://h.example/fhir/Patient/p2', 'Device/p1']

for (const [references, expected] of [
  [SAME, 1],
  [DOUBT, null],
  [SOMEBODY_ELSE, 0],
] as const) {
  for (const reference of references)
    test(`a stay of ${JSON.stringify(reference)}: ${String(expected)}`, () =>
      assert.equal(admissions(reference), expected))
}

test('a relative reference in an entry of another server may mean the Patient: doubt', () => {
  assert.equal(admissions('Patient/p1', 'https://other.example/fhir'), null)
  assert.equal(admissions('Patient/p2', 'https://other.example/fhir'), 0)
})

test('a Patient without an address is the one of the only server that names it', () => {
  assert.equal(admissions('https://h.example/fhir/Patient/p1', BASE, ''), 1)
})

test('a Patient without an address that two servers name may be of either: doubt', () => {
  const others = [
    at(OLD, 'Patient/p1', 'https://north.example'),
    at(encounter('x', 'IMP', '2025-10-01', '2025-10-03'), 'Patient/p1', 'https://south.example'),
  ]
  const entry = [at(patient({ id: 'p1' }), undefined, ''), at(STAY, 'Patient/p1', ''), ...others]
  const [found] = recordsOf({ resourceType: 'Bundle', type: 'collection', entry }, QUERY)
  assert.equal(found?.record['inpatientAdmissions'] ?? null, null)
  assert.match(whyOf(found?.findings.get('inpatientAdmissions')), /entry\[2\], Bundle\.entry\[3\]/)
})

test('a fullUrl names its entry in every spelling, also where the resource has no id', () => {
  const own = { ...patient(), id: undefined }
  for (const fullUrl of ['HTTPS://h.example:443/fhir/Patient/p1', ' https://h.example/fhir/Patient/p1/ ']) {
    const entry = [{ fullUrl, resource: own }, at(STAY, 'Patient/p1'), at(OLD, `${BASE}/Patient/p1`)]
    const [found] = recordsOf({ resourceType: 'Bundle', type: 'collection', entry }, QUERY)
    assert.equal(found?.record['inpatientAdmissions'], 1, fullUrl)
  }
})

test('a Patient whose fullUrl names another id may be meant by both', () => {
  for (const reference of ['Patient/p2', `${BASE}/Patient/p1`]) {
    const entry = [
      { fullUrl: `${BASE}/Patient/p2`, resource: patient({ id: 'p1' }) },
      at(STAY, 'Patient/p1', ''),
      at(OLD, reference, ''),
    ]
    const [found] = recordsOf({ resourceType: 'Bundle', type: 'collection', entry }, QUERY)
    assert.notEqual(found?.record['inpatientAdmissions'], 0, reference)
  }
})

test('a UUID has no case', () => {
  const uuid = '0c7b5d2e-abcd-4000-8000-000000000000'
  const entry = [
    { fullUrl: `urn:uuid:${uuid}`, resource: { ...patient(), id: undefined } },
    at(STAY, `urn:uuid:${uuid}`, ''),
    at(OLD, `URN:UUID:${uuid.toUpperCase()}`, ''),
  ]
  const [found] = recordsOf({ resourceType: 'Bundle', type: 'collection', entry }, QUERY)
  assert.equal(found?.record['inpatientAdmissions'], 1)
})

test('a text that is not the address of a resource is not taken for one', () => {
  for (const text of [
    '',
    '#p',
    'Patient',
    'Patient/',
    'https://',
    'https://h.example',
    'Patient/a b',
    7,
    null,
  ])
    assert.equal(addressIn(text), undefined, String(text))
  assert.equal(keyIn('#p'), '')
})

// A pattern that tries every way to split them would take hours for the first and seconds for each of the others.
const LONG = 20_000
for (const [name, reference] of [
  ['slashes', `${'/'.repeat(60)}!`],
  ['many slashes', `${'/'.repeat(LONG)}x y`],
  ['dots and slashes', `${'../'.repeat(LONG)}!`],
  ['versions', `${'/_history/'.repeat(LONG)}\n`],
  ['a path', `https://h.example/${'A/'.repeat(LONG)}!`],
] as const)
  test(`a reference of ${name} is no address`, () => {
    for (let time = 0; time < 20; time++) assert.equal(addressIn(reference), undefined)
  })
