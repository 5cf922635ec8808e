/** Who is who: linked records, shared identifiers, visits recorded twice, and resources of nobody. A doubt concerns some, not all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RecordCase, checkRecords } from '../record-cases.ts'
import {
  OLD,
  type Resource,
  STAY,
  answerOf,
  bundle,
  condition,
  encounter,
  entriesOf,
  patient,
  recordsOf,
  sourceOf,
} from '../source.ts'

const THEN = { history: 'complete', asOf: '2026-03-09' }
const MRN = (value: string): Resource => ({ identifier: [{ system: 'urn:example:mrn', value }] })
const of = (id: string, resource: Resource): Resource => ({
  ...resource,
  id: `${id}-${String(resource['id'])}`,
  subject: { reference: `Patient/${id}` },
})
const link = (type: string, other = 'Patient/q'): Resource => ({
  link: [{ other: { reference: other }, type }],
})
const linkByNumber = (type: string, value: string): Resource => ({
  link: [{ other: { identifier: { system: 'urn:example:mrn', value } }, type }],
})

/** The admissions of each patient of a body; null: not known; none: no risk at all. */
function admissions(...resources: readonly Resource[]): Readonly<Record<string, unknown>> {
  const found = recordsOf(bundle(...resources), THEN)
  return Object.fromEntries(
    found.map(({ subject, record, refusal }) => [
      String(subject.patient.resource['id']),
      refusal === undefined ? (record['inpatientAdmissions'] ?? null) : 'none',
    ]),
  )
}

const numbers = (...all: readonly (readonly [system: string | undefined, value: string])[]): Resource => ({
  identifier: all.map(([system, value]) => ({ ...(system !== undefined && { system }), value })),
})
const BOTH = { p: 'none', q: 'none' }
const EACH = { p: 0, q: 1 }

/** The numbers of two Patients, of whom the second one has an earlier stay, and the admissions. */
const NUMBERS: readonly (readonly [string, Resource, Resource, Readonly<Record<string, unknown>>])[] = [
  ['one number in one system', numbers(['urn:a', '17']), numbers(['urn:a', '17']), BOTH],
  ['one number in two systems', numbers(['urn:a', '17']), numbers(['urn:b', '17']), EACH],
  [
    'one number, the second time without its system',
    numbers(['urn:a', '17']),
    numbers([undefined, '17']),
    BOTH,
  ],
  [
    'one number, the first time without its system',
    numbers([undefined, '17']),
    numbers(['urn:a', '17']),
    BOTH,
  ],
  ['one number without a system', numbers([undefined, '17']), numbers([undefined, '17']), BOTH],
  ['another number without a system', numbers(['urn:a', '17']), numbers([undefined, '18']), EACH],
  [
    'a number without a system, and other numbers of one system',
    numbers(['urn:a', '17'], [undefined, '3']),
    numbers(['urn:a', '3']),
    EACH,
  ],
  [
    'a number without a system, and numbers of different systems',
    numbers(['urn:a', '17'], [undefined, '3']),
    numbers(['urn:b', '3']),
    BOTH,
  ],
]
for (const [name, p, q, expected] of NUMBERS)
  test(`two Patients with ${name}`, () => {
    const found = admissions(
      patient({ id: 'p', ...p }),
      of('p', STAY),
      patient({ id: 'q', ...q }),
      of('q', STAY),
      of('q', OLD),
    )
    assert.deepEqual(found, expected)
  })

test('a number without its system that very many have makes all of them doubt', () => {
  const many = Array.from({ length: 3_000 }, (_, at) =>
    patient({ id: `n${at}`, ...numbers([at % 2 === 0 ? undefined : 'urn:a', '0']) }),
  )
  const found = Object.values(admissions(...many))
  assert.equal(found.filter((each) => each === 'none').length, many.length)
})

/** Two Patients with a stay each; the second one has an earlier stay. What the first one says of the second, and the admissions. */
const LINKS: readonly (readonly [string, Resource, Resource, Readonly<Record<string, unknown>>])[] = [
  ['no link', {}, {}, { p: 0, q: 1 }],
  ['p replaces q', link('replaces'), {}, { p: null, q: 'none' }],
  ['p was replaced by q', link('replaced-by'), {}, { p: 'none', q: null }],
  ['p refers to q', link('refer'), {}, { p: null, q: null }],
  [
    'p and q are also known as each other',
    link('seealso'),
    link('seealso', 'Patient/p'),
    { p: null, q: null },
  ],
  ['a link of a type that does not exist', link('x'), {}, { p: null, q: null }],
  ['p replaces somebody who is not in the body', link('replaces', 'Patient/z'), {}, { p: 0, q: 1 }],
  [
    'more of p is kept with somebody who is not in the body',
    link('seealso', 'Patient/z'),
    {},
    { p: null, q: 1 },
  ],
  ['p refers to q by its number', linkByNumber('refer', '18'), MRN('18'), { p: null, q: null }],
  ['p replaces q, by its number', linkByNumber('replaces', '18'), MRN('18'), { p: null, q: 'none' }],
  [
    'more of p is kept with a number that nobody has',
    linkByNumber('seealso', '99'),
    MRN('18'),
    { p: null, q: 1 },
  ],
  ['the same number of a record', MRN('17'), MRN('17'), { p: 'none', q: 'none' }],
  ['another number of a record', MRN('17'), MRN('18'), { p: 0, q: 1 }],
]
for (const [name, first, second, expected] of LINKS)
  test(`two Patients, ${name}`, () => {
    const found = admissions(
      patient(first),
      STAY,
      patient({ id: 'q', ...second }),
      of('q', STAY),
      of('q', OLD),
      patient({ id: 'r' }),
      of('r', STAY),
    )
    assert.deepEqual(found, { ...expected, r: 0 })
  })

test('a stay of the record that was replaced, without its Patient, is doubt for the one that replaces it', () => {
  const first = patient(link('replaces'))
  const second = patient({ id: 'r' })
  assert.deepEqual(admissions(first, STAY, second, of('r', STAY), of('q', OLD)), { p: null, r: 0 })
})

test('a stay of the number of the record that was replaced is doubt for the one that replaces it', () => {
  const first = patient({ ...MRN('17'), ...linkByNumber('replaces', '16') })
  const second = patient({ id: 'r', ...MRN('18') })
  const orphan = { ...OLD, subject: { identifier: { system: 'urn:example:mrn', value: '16' } } }
  assert.deepEqual(admissions(first, STAY, second, of('r', STAY), orphan), { p: null, r: 0 })
})

test('a Person who names the records by their numbers connects them', () => {
  const target = (value: string): Resource => ({
    target: { identifier: { system: 'urn:example:mrn', value } },
  })
  const person = { resourceType: 'Person', id: 'x', link: [target('17'), target('18')] }
  const records = [patient(MRN('17')), patient({ id: 'q', ...MRN('18') })]
  const stays = [STAY, of('q', STAY), of('q', OLD)]
  assert.deepEqual(admissions(...records, ...stays), { p: 0, q: 1 })
  assert.deepEqual(admissions(...records, ...stays, person), { p: null, q: null })
})

/** An earlier stay whose subject is not clear, among three patients, and the admissions of each. */
const ORPHANS: readonly (readonly [string, Resource, Readonly<Record<string, unknown>>])[] = [
  ['nobody at all', { subject: undefined }, { p: null, q: null, r: null }],
  [
    'one with the number 17',
    { subject: { identifier: { system: 'urn:example:mrn', value: '17' } } },
    { p: null, q: 0, r: null },
  ],
  [
    'one with the number 99',
    { subject: { identifier: { system: 'urn:example:mrn', value: '99' } } },
    { p: 0, q: 0, r: null },
  ],
  [
    'a search for the number 17',
    { subject: { reference: 'Patient?identifier=urn:example:mrn|17' } },
    { p: null, q: 0, r: null },
  ],
  [
    'a contained Patient with the number 17',
    { subject: { reference: '#c' }, contained: [{ resourceType: 'Patient', id: 'c', ...MRN('17') }] },
    { p: null, q: 0, r: null },
  ],
  [
    'nobody, in a stay of q',
    { subject: undefined, partOf: { reference: 'Encounter/q-index' } },
    { p: 0, q: null, r: 0 },
  ],
  ['nobody, cancelled', { subject: undefined, status: 'cancelled' }, { p: 0, q: 0, r: 0 }],
  [
    'nobody, an outpatient visit',
    { subject: undefined, class: encounter('x', 'AMB')['class'] },
    { p: 0, q: 0, r: 0 },
  ],
  [
    'nobody, years ago',
    { subject: undefined, period: { start: '2020-01-01', end: '2020-01-04' } },
    { p: 0, q: 0, r: 0 },
  ],
  ['nobody, without a time', { subject: undefined, period: undefined }, { p: null, q: null, r: null }],
  ['somebody who is not in the body', { subject: { reference: 'Patient/z' } }, { p: 0, q: 0, r: 0 }],
]
for (const [name, more, expected] of ORPHANS)
  test(`a stay of ${name}: the doubt concerns some and nobody else`, () => {
    const patients = [patient(MRN('17')), patient({ id: 'q', ...MRN('18') }), patient({ id: 'r' })]
    const found = admissions(...patients, STAY, of('q', STAY), of('r', STAY), { ...OLD, ...more })
    assert.deepEqual(found, expected)
  })

test('one orphan visit among twenty patients: the others get their risk', () => {
  const ids = Array.from({ length: 20 }, (_, at) => `p${at}`)
  const all = ids.flatMap((id) => [patient({ id, ...MRN(id) }), of(id, STAY)])
  const orphan = { ...OLD, subject: { identifier: { system: 'urn:example:mrn', value: 'p7' } } }
  const entries = entriesOf(answerOf(bundle(...all, orphan), sourceOf('readmission30'), THEN))
  const scored = entries.filter(({ resource }) => resource['resourceType'] === 'RiskAssessment')
  assert.equal(scored.length, 19)
  assert.ok(!scored.some(({ link: about }) => about?.[0]?.url === 'Patient/p7'))
})

const NUMBER = { identifier: [{ system: 'urn:example:visit', value: '4711' }] }
const partOf = (id: string): Resource => ({ partOf: { reference: `Encounter/${id}` } })
checkRecords([
  {
    name: 'one visit number in two earlier stays: one stay or two',
    resources: [STAY, { ...OLD, ...NUMBER }, encounter('x', 'IMP', '2025-09-15', '2025-09-20', NUMBER)],
    query: THEN,
    record: { inpatientAdmissions: null, emergencyAdmissions: 0, stayDays: 7 },
    why: { inpatientAdmissions: /same number/ },
  },
  {
    name: 'one visit number in the index stay and another: where the stay began is not known',
    resources: [
      { ...STAY, ...NUMBER },
      encounter('x', 'IMP', '2026-02-25T08:00:00+01:00', '2026-03-02T10:00:00+01:00', NUMBER),
    ],
    query: THEN,
    record: { stayDays: null, inpatientAdmissions: null },
  },
  {
    name: 'an index stay that is named is certain; the count with its number is not',
    resources: [
      { ...STAY, ...NUMBER },
      { ...OLD, ...NUMBER },
    ],
    query: { ...THEN, encounter: ['Encounter/index'] },
    record: { stayDays: 7, inpatientAdmissions: null },
  },
  {
    name: 'a stay and its ward moves have one number',
    resources: [
      STAY,
      { ...OLD, ...NUMBER },
      encounter('x', 'IMP', '2025-09-12', '2025-09-13', { ...NUMBER, ...partOf('old') }),
    ],
    query: THEN,
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'a cancelled stay with the same number leaves no doubt',
    resources: [
      STAY,
      { ...OLD, ...NUMBER },
      encounter('x', 'IMP', '2025-09-12', '2025-09-13', { ...NUMBER, status: 'cancelled' }),
    ],
    query: THEN,
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'an emergency visit and the stay it led to may have one number',
    resources: [
      STAY,
      { ...OLD, ...NUMBER },
      encounter('x', 'EMER', '2025-09-10T04:00:00+02:00', '2025-09-10T08:00:00+02:00', NUMBER),
    ],
    query: THEN,
    record: { inpatientAdmissions: 1, emergencyAdmissions: 1 },
  },
  {
    name: 'two emergency visits with one number: one or two',
    resources: [STAY, ...['a', 'b'].map((id) => encounter(id, 'EMER', '2025-10-01', '2025-10-01', NUMBER))],
    query: THEN,
    record: { emergencyAdmissions: null, inpatientAdmissions: 0 },
  },
  {
    name: 'two earlier stays that overlap: one or two',
    resources: [STAY, OLD, encounter('x', 'IMP', '2025-09-14', '2025-09-20')],
    query: THEN,
    record: { inpatientAdmissions: null, stayDays: 7 },
    why: { inpatientAdmissions: /overlap/ },
  },
  {
    name: 'a stay inside of an earlier one: one or two',
    resources: [
      STAY,
      OLD,
      encounter('x', 'IMP', '2025-09-12', '2025-09-13'),
      encounter('y', 'IMP', '2025-09-14', '2025-09-14'),
    ],
    query: THEN,
    record: { inpatientAdmissions: null },
  },
  {
    name: 'a stay that overlaps the index stay: where it began is not known',
    resources: [STAY, encounter('x', 'IMP', '2026-02-25', '2026-03-04')],
    query: THEN,
    record: { stayDays: null, inpatientAdmissions: null },
  },
  {
    name: 'a stay that ends on the day the next one begins is another stay',
    resources: [STAY, encounter('x', 'IMP', '2026-02-25', '2026-03-02'), OLD],
    query: THEN,
    record: { stayDays: 7, inpatientAdmissions: 2 },
  },
  {
    name: 'a transfer at the same minute is another stay',
    resources: [STAY, encounter('x', 'IMP', '2026-02-25T08:00:00+01:00', '2026-03-02T10:20:00+01:00')],
    query: THEN,
    record: { stayDays: 7, inpatientAdmissions: 1 },
  },
  {
    name: 'a Condition of nobody concerns the fields of its code alone',
    resources: [STAY, condition('a', 'I50.0', { recordedDate: '2020', subject: undefined })],
    query: THEN,
    record: { dementia: false, congestiveHeartFailure: null },
  },
  {
    name: 'a Condition of nobody that was recorded later concerns nothing',
    resources: [STAY, condition('a', 'I50.0', { recordedDate: '2026-04-01', subject: undefined })],
    query: THEN,
    record: { congestiveHeartFailure: false },
  },
  {
    name: 'a Procedure of nobody after the stay concerns nothing',
    resources: [
      STAY,
      { resourceType: 'Procedure', id: 'a', status: 'completed', performedDateTime: '2025-01-01' },
    ],
    query: THEN,
    record: { procedureDuringStay: false },
  },
] satisfies readonly RecordCase[])
