/** Observations and other resources to values: units, windows, the latest of several, and what is not a value. */
import { type Resource, STAY, encounter, observation, ucum } from './source.ts'
import { type RecordCase, checkRecords } from './record-cases.ts'

const ED = (id: string, start: string, end?: string): Resource => encounter(id, 'EMER', start, end)
const OLD = encounter('old', 'IMP', '2025-09-10T09:00:00+02:00', '2025-09-15T11:00:00+02:00')
const COMPLETE = { history: 'complete' }
const HB = '718-7'
const hb = (id: string, value: unknown, more: Resource = {}): Resource => observation(id, HB, value, more)
const at = (time: string): Resource => ({ effectiveDateTime: time })
const VALUES: readonly RecordCase[] = [
  { name: 'gender other is X', resources: [], record: { sex: 'F' } },
  { name: 'g/L is converted', resources: [STAY, hb('a', ucum(112, 'g/L'))], record: { haemoglobin: 11.2 } },
  {
    name: 'mmol/L is converted per monomer',
    resources: [STAY, observation('a', '59260-0', ucum(8.4, 'mmol/L'))],
    record: { haemoglobin: 13.53576 },
  },
  {
    name: 'creatinine in umol/L: exactly 3, not a little less',
    resources: [STAY, observation('a', '14682-9', ucum(265.2, 'umol/L'))],
    record: { creatinine: 3 },
  },
  {
    name: 'sodium in meq/L',
    resources: [STAY, observation('a', '2951-2', ucum(136, 'meq/L'))],
    record: { sodium: 136 },
  },
  {
    name: 'the spelling g/dl is UCUM',
    resources: [STAY, hb('a', ucum(11, 'g/dl'))],
    record: { haemoglobin: 11 },
  },
  // A Quantity without a code: its text counts if it is a UCUM code as it stands.
  ...(
    [
      ['g/dL', 11],
      ['g/L', 1.1],
      ['gm/dL', null],
      ['G/DL', null],
      ['g / dL', null],
      ['gram/deciliter', null],
      ['', null],
      [7, null],
    ] as const
  ).flatMap(([unit, haemoglobin]) =>
    [{}, { system: 'http://unitsofmeasure.org' }].map((more) => ({
      name: `only the text ${JSON.stringify(unit)} as the unit, ${JSON.stringify(more)}`,
      resources: [STAY, hb('a', { value: 11, unit, ...more })],
      record: { haemoglobin },
    })),
  ),
  {
    name: 'a name of a unit is no code',
    resources: [STAY, hb('a', ucum(11, 'gram/deciliter'))],
    record: { haemoglobin: null },
  },
  {
    name: 'a text as the unit of a plain number',
    resources: [STAY, observation('a', '96761-2', { value: 65, unit: 'points' })],
    record: { barthel_total: null },
  },
  {
    name: 'an annotation as the unit of a plain number',
    resources: [STAY, observation('a', '96761-2', { value: 65, unit: '{score}' })],
    record: { barthel_total: 65 },
  },
  { name: 'no unit', resources: [STAY, hb('a', { value: 11 })], record: { haemoglobin: null } },
  {
    name: 'a unit of another dimension',
    resources: [STAY, hb('a', ucum(11, 'kg'))],
    record: { haemoglobin: null },
  },
  {
    name: 'a unit in another system',
    resources: [STAY, hb('a', { value: 11, system: 'http://other.example', code: 'g/dL' })],
    record: { haemoglobin: null },
  },
  {
    name: 'a comparator is not the value',
    resources: [STAY, hb('a', { ...ucum(11, 'g/dL'), comparator: '<' })],
    record: { haemoglobin: null },
  },
  {
    name: 'an integer without a unit',
    resources: [STAY, hb('a', undefined, { valueInteger: 11 })],
    record: { haemoglobin: null },
  },
  {
    name: 'a text is passed on to be refused',
    resources: [STAY, hb('a', undefined, { valueString: '11' })],
    record: { haemoglobin: '11' },
  },
  {
    name: 'a later value that was lost',
    because: 'There is one, and the older one is not the latest.',
    resources: [
      STAY,
      hb('a', ucum(11, 'g/dL')),
      hb('b', undefined, { dataAbsentReason: { text: 'lost' }, ...at('2026-03-06') }),
    ],
    record: { haemoglobin: null },
  },
  {
    name: 'preliminary values do not count',
    resources: [STAY, hb('a', ucum(11, 'g/dL'), { status: 'preliminary' })],
    record: { haemoglobin: null },
  },
  {
    name: 'the latest of the stay counts',
    resources: [
      STAY,
      hb('a', ucum(11, 'g/dL')),
      hb('b', ucum(10, 'g/dL'), at('2026-03-06T08:00:00+01:00')),
      hb('c', ucum(14, 'g/dL'), at('2026-04-06T08:00:00+01:00')),
    ],
    record: { haemoglobin: 10 },
  },
  {
    name: 'two different values at the same time',
    resources: [STAY, hb('a', ucum(11, 'g/dL')), hb('b', ucum(12, 'g/dL'))],
    record: { haemoglobin: null },
  },
  {
    name: 'two equal values at the same time',
    resources: [STAY, hb('a', ucum(11, 'g/dL')), hb('b', ucum(11, 'g/dL'))],
    record: { haemoglobin: 11 },
  },
  {
    name: 'a value without a time, linked to the stay',
    resources: [
      STAY,
      hb('a', ucum(11, 'g/dL'), {
        effectiveDateTime: undefined,
        encounter: { reference: 'Encounter/index' },
      }),
    ],
    record: { haemoglobin: 11 },
  },
  {
    name: 'a value from the emergency visit that led to the stay',
    resources: [
      STAY,
      ED('ed', '2026-03-01T21:00:00+01:00', '2026-03-02T09:00:00+01:00'),
      hb('a', ucum(11, 'g/dL'), at('2026-03-01T22:00:00+01:00')),
    ],
    record: { haemoglobin: 11 },
  },
  {
    name: 'a value of another stay',
    resources: [STAY, OLD, hb('a', ucum(11, 'g/dL'), { encounter: { reference: 'Encounter/old' } })],
    record: { haemoglobin: null },
  },
  {
    name: 'a display without a code is never matched',
    resources: [
      STAY,
      { ...hb('a', ucum(11, 'g/dL')), code: { text: 'Hemoglobin', coding: [{ display: 'Hemoglobin' }] } },
    ],
    record: { haemoglobin: null },
  },
  {
    name: 'a field under its own name',
    resources: [
      STAY,
      {
        ...observation('a', 'x', undefined, { valueBoolean: true }),
        code: { coding: [{ system: 'urn:patient-risk:fields', code: 'oncologyService' }] },
      },
    ],
    record: { oncologyService: true },
  },
  {
    name: 'a code under its own name',
    resources: [
      STAY,
      {
        ...observation('a', 'x', undefined, {
          valueCodeableConcept: { coding: [{ system: 'urn:x', code: 'spouse' }] },
        }),
        code: { coding: [{ system: 'urn:patient-risk:fields', code: 'caregiver' }] },
      },
    ],
    record: { caregiver: 'spouse' },
  },
  {
    name: 'no Procedure in a complete history means no',
    resources: [STAY],
    query: COMPLETE,
    record: { procedureDuringStay: false },
  },
  { name: 'no Procedure otherwise means unknown', resources: [STAY], record: { procedureDuringStay: null } },
]

checkRecords(VALUES)
