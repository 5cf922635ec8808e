/** Ends: of Conditions by their abatement, and of stays. The moment is 9 March 2026, after a stay from the 2nd on. */
import { type RecordCase, checkRecords } from '../record-cases.ts'
import { OLD, type Resource, STAY, condition, encounter, observation, ucum } from '../source.ts'

const THEN = { history: 'complete', asOf: '2026-03-09' }
const NOW = { history: 'complete', asOf: '2026-11-15' }
const SYSTEM = 'http://terminology.hl7.org/CodeSystem/condition-clinical'
const status = (code: string): Resource => ({ clinicalStatus: { coding: [{ system: SYSTEM, code }] } })
const RECORDED = { recordedDate: '2020-01-01' }
const ENDED = { abatementDateTime: '2021-05-01' }

/** A diagnosis, its elements, the field, its value as of 9 March, and why. */
const ABATED: readonly (readonly [string, Resource, string, unknown, string])[] = [
  ['E11.9', {}, 'charlson_diabetes', 1, 'no end: present'],
  ['E11.9', ENDED, 'charlson_diabetes', 0, 'an end without a status: over'],
  ['E11.9', { abatementDateTime: '2026-03-09' }, 'charlson_diabetes', 0, 'ended by the end of that day'],
  ['E11.9', { abatementDateTime: '2026-03-10' }, 'charlson_diabetes', 1, 'ended the day after: present then'],
  ['E11.9', { abatementDateTime: '2026' }, 'charlson_diabetes', null, 'ended some day of the year'],
  ['E11.9', { abatementPeriod: { end: '2021' } }, 'charlson_diabetes', 0, 'the end of a period'],
  ['E11.9', { abatementPeriod: { start: '2026-04' } }, 'charlson_diabetes', 1, 'a period that starts later'],
  ['E11.9', { abatementPeriod: { start: '2025-04' } }, 'charlson_diabetes', null, 'a period without an end'],
  ['E11.9', { abatementAge: { value: 70 } }, 'charlson_diabetes', null, 'an age is no date'],
  ['E11.9', { abatementString: 'last year' }, 'charlson_diabetes', null, 'a text is no date'],
  ['E11.9', { ...status('active'), ...ENDED }, 'charlson_diabetes', null, 'active and ended: unclear'],
  ['E11.9', { ...status('relapse'), ...ENDED }, 'charlson_diabetes', null, 'relapse and ended: unclear'],
  ['E11.9', { ...status('remission'), ...ENDED }, 'charlson_diabetes', null, 'remission and ended: unclear'],
  ['E11.9', { ...status('active'), abatementDateTime: '2027' }, 'charlson_diabetes', 1, 'a planned end'],
  ['E11.9', { ...status('resolved'), ...ENDED }, 'charlson_diabetes', 0, 'resolved and ended: over'],
  ['I21.0', ENDED, 'charlson_myocardialInfarction', 1, 'a history of infarction counts, over or not'],
  ['I21.0', { ...status('active'), ...ENDED }, 'charlson_myocardialInfarction', 1, 'counts over or not'],
  ['F03', ENDED, 'dementia', null, 'dementia does not pass'],
  [
    'C50',
    { ...ENDED, onsetDateTime: '2019' },
    'charlson_solidTumor',
    0,
    'over, and began before the 5 years',
  ],
  ['C50', { ...ENDED, onsetDateTime: '2021-04' }, 'charlson_solidTumor', 2, 'over, and began in the 5 years'],
  ['C50', ENDED, 'cancer', 'none', 'cancer means active disease'],
  ['C50', { ...status('active'), ...ENDED }, 'cancer', null, 'active and ended: unclear'],
  [
    'C50',
    { ...status('resolved'), onsetDateTime: '2010' },
    'charlson_solidTumor',
    null,
    'over now, then maybe not',
  ],
]

const FINISHED = encounter('index', 'IMP', '2026-03-02T10:20:00+01:00')
const hb = (more: Resource): Resource => observation('a', '718-7', ucum(11, 'g/dL'), more)

checkRecords([
  ...ABATED.map(([code, more, field, value, because]) => ({
    name: `${code} ${JSON.stringify(more)}: ${field} is ${String(value)}, ${because}`,
    resources: [STAY, condition('a', code, { ...RECORDED, ...more })],
    query: THEN,
    record: { [field]: value },
    ...(value === null && { why: { [field]: /Bundle\.entry\[2\]/ } }),
  })),
  {
    name: 'an end without a date is over as of now',
    resources: [STAY, condition('a', 'E11.9', { abatementAge: { value: 70 } })],
    query: NOW,
    record: { charlson_diabetes: 0 },
  },
  {
    name: 'an infarction without a date may be the one of the stay',
    resources: [STAY, condition('a', 'I21.0', { onsetDateTime: '2026', recordedDate: '2026-03-05' })],
    query: THEN,
    record: { laceCharlson_previousMyocardialInfarction: null, charlson_myocardialInfarction: 1 },
  },
  {
    name: 'a finished stay without an end has no length, whatever asOf says',
    resources: [FINISHED, OLD],
    query: { history: 'complete', asOf: '2026-11-01' },
    record: { stayDays: null, inpatientAdmissions: 1, primaryCareVisits12Months: null },
    why: { stayDays: /finished and has no end/ },
  },
  {
    name: 'a value on a later day may be of after a stay without an end',
    resources: [FINISHED, hb({ effectiveDateTime: '2026-03-05' })],
    query: THEN,
    record: { haemoglobin: null },
  },
  {
    name: 'a value that belongs to a stay without an end counts',
    resources: [
      FINISHED,
      hb({ effectiveDateTime: '2026-03-05', encounter: { reference: 'Encounter/index' } }),
    ],
    query: THEN,
    record: { haemoglobin: 11 },
  },
  {
    name: 'an earlier finished stay without an end counts once',
    resources: [STAY, encounter('x', 'IMP', '2025-10-01')],
    query: THEN,
    record: { inpatientAdmissions: 1, stayDays: 7 },
  },
  {
    name: "a severe tumour that may be the patient's makes the mild one uncertain",
    resources: [STAY, condition('a', 'C50', RECORDED), condition('b', 'C79.5', { ...RECORDED, subject: {} })],
    query: THEN,
    record: { cancer: null, charlson_solidTumor: null },
  },
] satisfies readonly RecordCase[])
