/**
 * What hides something and leaves a trace of it: values that are not told, results that are a part, visits that are written twice. The stay
 * is from 2 to 9 March 2026, with one admission before it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RecordCase, checkRecords } from '../record-cases.ts'
import {
  OLD,
  type Resource,
  STAY,
  bundle,
  condition,
  encounter,
  observation,
  patient,
  recordsOf,
  ucum,
} from '../source.ts'

const THEN = { history: 'complete', asOf: '2026-03-09' }
const LATER = { effectiveDateTime: '2026-03-06T08:00:00+01:00' }
const ABSENT = 'http://terminology.hl7.org/CodeSystem/data-absent-reason'
const hb = (id: string, value: unknown, more: Resource = {}): Resource =>
  observation(id, '718-7', value, more)
const absent = (code: string, system = ABSENT): Resource => ({
  ...LATER,
  dataAbsentReason: { coding: [{ system, code }] },
})
const later = (name: string, more: Resource, haemoglobin: number | null): RecordCase => ({
  name: `a later haemoglobin ${name}: ${String(haemoglobin)}`,
  resources: [STAY, hb('a', ucum(11, 'g/dL')), hb('b', undefined, { ...LATER, ...more })],
  record: { haemoglobin },
  ...(haemoglobin === null && { why: { haemoglobin: /leaves open whether it counts: Bundle\.entry\[3\]/ } }),
})
const coded = (...coding: readonly Resource[]): Resource => ({
  code: { coding },
  valueQuantity: ucum(9, 'g/dL'),
})
const visits = (name: string, all: readonly Resource[], emergencyAdmissions: number | null): RecordCase => ({
  name: `${name}: ${String(emergencyAdmissions)} emergency visits`,
  resources: [STAY, OLD, ...all],
  query: THEN,
  record: { emergencyAdmissions, inpatientAdmissions: 1 },
})
const visit = (id: string, start: string, end?: string, more: Resource = {}): Resource =>
  encounter(id, 'EMER', start, end, more)
const numbered = (...numbers: readonly Resource[]): Resource => ({ identifier: numbers })
const GERMAN = {
  type: [{ coding: [{ system: 'http://fhir.de/CodeSystem/Kontaktebene', code: 'abteilungskontakt' }] }],
}

checkRecords([
  later('without a value', {}, null),
  later('whose value is hidden', { _valueQuantity: { extension: [] } }, null),
  later('that is absent, masked', absent('masked'), null),
  later('that is absent for an unknown reason', { ...LATER, dataAbsentReason: { text: 'lost' } }, null),
  later('that is absent by a code of another system', absent('not-performed', 'https://h.example/x'), null),
  later('that was not performed', absent('not-performed'), 11),
  later('that was not performed, and was masked', {
    dataAbsentReason: { coding: ['not-performed', 'masked'].map((code) => ({ system: ABSENT, code })) },
  }, null),
  later('without a value that was cancelled', { status: 'cancelled' }, 11),
  later('of before, without a value', { effectiveDateTime: '2026-03-04T08:00:00+01:00' }, 11),
  later('whose code has no system', coded({ code: '718-7' }), null),
  later('of LOINC by its name', coded({ system: 'LOINC', code: '718-7' }), null),
  later('of another code by its name', coded({ system: 'LOINC', code: '1' }), 11),
  later('whose code has another system', coded({ system: 'https://h.example/x', code: '718-7' }), 11),
  later('of another code, with a code without a system',
    coded({ system: 'http://loinc.org', code: '1' }, { code: '718-7' }), 11),
  later('with the first instant of computers',
    { effectiveDateTime: '1970-01-01T01:00:00+01:00', valueQuantity: ucum(9, 'g/dL') }, null),
  visits('two of one day without times', ['a', 'b'].map((id) => visit(id, '2026-01-05', '2026-01-05')), null),
  visits('two of one day, one without times',
    [visit('a', '2026-01-05'), visit('b', '2026-01-05T08:00:00+01:00', '2026-01-05T09:00:00+01:00')], null),
  visits('two of one day, one after the other', [
    visit('a', '2026-01-05T06:00:00+01:00', '2026-01-05T08:00:00+01:00'),
    visit('b', '2026-01-05T08:00:00+01:00', '2026-01-05T09:00:00+01:00'),
  ], 2),
  visits('two that begin together and have no end',
    ['a', 'b'].map((id) => visit(id, '2026-01-05T08:00:00+01:00')), null),
  visits('two of two days without times', ['05', '06'].map((day) => visit(day, `2026-01-${day}`)), 2),
  visits('two with one number, of which one has no system', [
    visit('a', '2026-01-05', '2026-01-05', numbered({ system: 'urn:x', value: '7' })),
    visit('b', '2026-01-15', '2026-01-15', numbered({ value: '7' })),
  ], null),
  visits('two with one number in two systems', [
    visit('a', '2026-01-05', '2026-01-05', numbered({ system: 'urn:x', value: '7' })),
    visit('b', '2026-01-15', '2026-01-15', numbered({ system: 'urn:y', value: '7' })),
  ], 2),
  visits('one that has its number twice',
    [visit('a', '2026-01-05', '2026-01-05', numbered({ system: 'urn:x', value: '7' }, { value: '7' }))], 1),
  {
    name: 'one period as a stay and as an emergency visit is one of them',
    resources: [STAY, OLD, { ...OLD, id: 'x', class: visit('x', '')['class'] }],
    query: THEN,
    record: { emergencyAdmissions: null, inpatientAdmissions: null, stayDays: 7 },
  },
  ...(
    [
      ['2016-01-04', 0],
      ['2016-01-03', null],
      ['1900-01-01', null],
    ] as const
  ).map(([start, inpatientAdmissions]): RecordCase => ({
    name: `an earlier stay from ${start} to 2026-01-04: ${String(inpatientAdmissions)} admissions`,
    because: 'Ten years are 3,653 days. A longer stay has a start that stands for none.',
    resources: [STAY, encounter('x', 'IMP', start, '2026-01-04')],
    query: THEN,
    record: { inpatientAdmissions },
  })),
  {
    name: 'an outpatient Encounter of twenty years is one from before the window',
    resources: [STAY, OLD, encounter('x', 'AMB', '2000-01-01', '2026-01-04')],
    query: { asOf: '2026-03-09' },
    record: { inpatientAdmissions: 1, emergencyAdmissions: 0 },
  },
  {
    name: 'a part by its level whose stay was not sent leaves the count open',
    resources: [STAY, OLD, encounter('x', 'IMP', '2026-01-04', '2026-01-06', GERMAN)],
    query: THEN,
    record: { inpatientAdmissions: null, stayDays: 7 },
  },
  {
    name: 'a latest part by its level whose stay was not sent may be the index stay',
    resources: [{ ...STAY, ...GERMAN }, OLD],
    query: THEN,
    record: { inpatientAdmissions: null, stayDays: null },
  },
  {
    name: 'a part by its level that lies in a stay is no stay',
    resources: [STAY, OLD, encounter('x', 'IMP', '2025-09-11', '2025-09-15', GERMAN)],
    query: THEN,
    record: { inpatientAdmissions: 1, stayDays: 7 },
  },
  {
    name: 'a part by its level that begins in a stay and ends after it belongs to another one',
    resources: [STAY, OLD, encounter('x', 'IMP', '2025-09-11', '2025-09-16', GERMAN)],
    query: THEN,
    record: { inpatientAdmissions: null, stayDays: 7 },
  },
  ...(
    [
      ['F03', true],
      ['FO3', null],
      ['F0O', null],
      ['E1I.9', null],
    ] as const
  ).map(([code, dementia]): RecordCase => ({
    name: `a Condition with the code ${code}: dementia ${String(dementia)}`,
    resources: [STAY, condition('a', code, { recordedDate: '2020' })],
    query: THEN,
    record: { dementia },
  })),
])

test('a link to a RelatedPerson is no other record of the patient', () => {
  const link = (reference: string): Resource => ({ link: [{ type: 'seealso', other: { reference } }] })
  const counts = ['RelatedPerson/r', 'Patient/x'].map((reference) => {
    const [read] = recordsOf({ ...bundle(patient(link(reference)), STAY) }, THEN)
    return read?.record['inpatientAdmissions']
  })
  assert.deepEqual(counts, [0, undefined])
})

/** Addresses of results, and whether such a result can say that there was no admission and no diagnosis. */
const ADDRESSES: readonly (readonly [url: string, admissions: boolean, diagnoses: boolean])[] = [
  ['Encounter?patient=p', true, true],
  ['Encounter?patient:Patient=p&_count=200&_sort=-date&_include=Encounter:subject&_total=accurate', true, true],
  ['Encounter?subject=Patient/p&_summary=false&_format=json', true, true],
  ['Encounter?patient=p&_page=1&_offset=0', true, true],
  ['Encounter?patient=p&_page=2', false, true],
  ['Encounter?patient=p&_offset=1', false, true],
  ['Encounter?patient=p&_summary=true', false, true],
  ['Encounter?patient=p&episode-of-care=1', false, true],
  ['Encounter?patient=p&what-nobody-knows=1', false, true],
  ['Patient/p/Encounter?status=finished', false, true],
  ['Condition?patient=p&severity=1', true, false],
  ['Encounter?patient=p;class=EMER', false, true],
  ['Encounter?patient=p&date=ge2024-01-01', true, true],
  ['Encounter?patient=p&date=ge2025-06-01', false, true],
  ['Patient/p/$everything', true, true],
  ['Patient/$everything?_count=50', true, true],
  ['Patient/p/$everything?start=2024-01-01', false, false],
  ['Patient/p/$everything?_type=Encounter,Condition', true, true],
  ['Patient/p/$everything?_type=Encounter', true, false],
  ['?_type=Condition&patient=p', false, true],
  ['Encounter/index/$everything', false, false],
  ['Encounter/_history', false, false],
  ['?_getpages=x&_getpagesoffset=50', false, false],
  ['Patient?_id=p&_revinclude=Encounter:patient', true, true],
  ['Observation/$lastn?patient=p&max=1', true, true],
  ['Bundle/17', true, true],
]
for (const [url, admissions, diagnoses] of ADDRESSES)
  test(`a result of ${url} ${admissions ? 'shows' : 'does not show'} that there was no admission`, () => {
    const link = [{ relation: 'self', url: `https://h.example/fhir/${url}` }]
    const [read] = recordsOf({ ...bundle(patient(), STAY), type: 'searchset', link }, THEN)
    assert.equal(read?.record['inpatientAdmissions'], admissions ? 0 : undefined)
    assert.equal(read?.record['dementia'], diagnoses ? false : undefined)
  })
