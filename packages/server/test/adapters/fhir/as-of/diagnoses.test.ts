/**
 * Conditions as of a moment: what was known then, and what counts although it is over. The stay lasts from 2 to 9 March 2026; today
 * is 15 November 2026.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RecordCase, checkRecords } from '../record-cases.ts'
import { mapping } from '../../../../../../test/support/mapping.ts'
import { type Resource, STAY, answerOf, bundle, condition, entriesOf, patient, sourceOf } from '../source.ts'

const NOW = { history: 'complete', asOf: '2026-11-15' }
const THEN = { history: 'complete', asOf: '2026-03-09' }
const status = (code: string): Resource => ({
  clinicalStatus: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code }] },
})
const dementia = (more: Resource): Resource => condition('a', 'F03', more)

/** The elements of a dementia, whether it counts as of 9 March, and why. */
const KNOWN: readonly (readonly [Resource, boolean | null, string])[] = [
  [{ recordedDate: '2026-06-09' }, false, 'recorded three months later: not known then'],
  [{ recordedDate: '2026-06-09', onsetDateTime: '2024-01-01' }, false, 'recordedDate decides, not the onset'],
  [{ recordedDate: '2026-03-10' }, false, 'the day after'],
  [{ recordedDate: '2026-03-09' }, true, 'the same day was known'],
  [{ recordedDate: '2026-03-09T23:00:00+01:00' }, true, 'a day without a time means the whole day'],
  [{ recordedDate: '2026-03-01', onsetDateTime: '2026-06-09' }, true, 'recordedDate decides'],
  [{ onsetDateTime: '2026-06-09' }, false, 'no recordedDate: the onset decides'],
  [{ onsetDateTime: '2025-06-09' }, true, 'no recordedDate: the onset decides'],
  [{ onsetPeriod: { start: '2026-06-09' } }, false, 'the start of a period is an onset'],
  [{}, null, 'neither: not known'],
  [{ onsetAge: { value: 70 } }, null, 'an age is no date'],
  [{ onsetString: 'long ago' }, null, 'a text is no date'],
  [{ recordedDate: '2026' }, null, 'some day of 2026: before or after'],
  [{ recordedDate: '2026-03' }, null, 'some day of March: before or after'],
  [{ recordedDate: '2025' }, true, 'every day of 2025 is before'],
  [{ recordedDate: '2026-04' }, false, 'every day of April is after'],
]

/** A diagnosis, its elements, the field, its value as of today, and why. */
const OVER: readonly (readonly [string, Resource, string, unknown, string])[] = [
  ['I21.0', status('resolved'), 'charlson_myocardialInfarction', 1, 'a history of infarction counts'],
  ['I25.2', status('inactive'), 'laceCharlson_previousMyocardialInfarction', 1, 'an old infarction'],
  ['I21.0', status('resolved'), 'laceCharlson_previousMyocardialInfarction', 1, 'a previous infarction'],
  ['I63.9', status('resolved'), 'charlson_cerebrovascularDisease', 1, 'a history of stroke counts'],
  ['I63.9', status('remission'), 'laceCharlson_cerebrovascularDisease', 1, 'a history of stroke counts'],
  ['I70.2', status('resolved'), 'charlson_peripheralVascularDisease', 1, 'a history counts'],
  ['K25.9', status('resolved'), 'charlson_ulcerDisease', 1, 'any history of an ulcer counts'],
  ['E11.9', status('resolved'), 'charlson_diabetes', 0, 'diabetes that is over does not count'],
  ['K74.6', status('resolved'), 'charlson_liverDisease', 0, 'liver disease that is over does not count'],
  ['N18.4', status('inactive'), 'charlson_renalDisease', 0, 'renal disease that is over does not count'],
  ['J44.9', status('remission'), 'charlson_chronicPulmonaryDisease', 1, 'a chronic disease in remission'],
  ['I50.0', status('resolved'), 'congestiveHeartFailure', false, 'heart failure that is over'],
  ['F03', status('resolved'), 'charlson_dementia', null, 'dementia does not pass: unclear'],
  ['F03', status('resolved'), 'dementia', null, 'dementia does not pass: unclear'],
  ['G81.9', status('inactive'), 'charlson_hemiplegia', null, 'hemiplegia does not pass: unclear'],
  ['C50', { ...status('resolved'), onsetDateTime: '2021-11-16' }, 'charlson_solidTumor', 2, 'in the 5 years'],
  ['C50', { ...status('resolved'), onsetDateTime: '2021-11-15' }, 'charlson_solidTumor', 0, 'earlier'],
  ['C50', { ...status('resolved'), recordedDate: '2024' }, 'charlson_solidTumor', 2, 'every day of 2024'],
  [
    'C50',
    { ...status('resolved'), recordedDate: '2021' },
    'charlson_solidTumor',
    null,
    'not every day of it',
  ],
  ['C50', status('resolved'), 'charlson_solidTumor', null, 'no date: not known whether in the 5 years'],
  ['C50', { ...status('active'), onsetDateTime: '2001' }, 'charlson_solidTumor', 2, 'active: present'],
  ['C91.1', { ...status('remission'), onsetDateTime: '2024' }, 'charlson_leukemia', 2, 'in the 5 years'],
  ['C91.1', { ...status('remission'), onsetDateTime: '2010' }, 'charlson_leukemia', 0, 'earlier'],
  [
    'C91.1',
    { ...status('remission'), onsetDateTime: '2024' },
    'cancer',
    'none',
    'cancer means active disease',
  ],
  ['C50', { ...status('resolved'), onsetDateTime: '2024' }, 'cancer', 'none', 'cancer means active disease'],
  ['C50', status('recurrence'), 'cancer', 'solitary', 'a recurrence is active'],
  ['F03', status('unknown'), 'dementia', null, 'the status unknown leaves it open'],
]

checkRecords([
  ...KNOWN.map(([more, value, because]) => ({
    name: `dementia with ${JSON.stringify(more)} as of 9 March: ${because}`,
    resources: [STAY, dementia(more)],
    query: THEN,
    record: { dementia: value, charlson_dementia: value === null ? null : Number(value) },
    ...(value === null && { why: { dementia: /Bundle\.entry\[2\]/ } }),
  })),
  ...OVER.map(([code, more, field, value, because]) => ({
    name: `${code} with ${JSON.stringify(more)} gives ${field} ${String(value)}: ${because}`,
    resources: [STAY, condition('a', code, more)],
    query: NOW,
    record: { [field]: value },
  })),
  {
    name: 'an undated diagnosis counts as of now',
    because: 'All that is in the record is known now.',
    resources: [STAY, dementia({})],
    query: NOW,
    record: { dementia: true },
  },
  {
    name: 'an undated diagnosis of another kind leaves no doubt about dementia',
    because: 'I50 is in no group of dementia, whenever it was recorded.',
    resources: [STAY, condition('a', 'I50.0')],
    query: THEN,
    record: { dementia: false, congestiveHeartFailure: null },
  },
  {
    name: 'what ended after the moment was present then',
    because: 'Diabetes from 2020 to June 2026 as of March 2026: present.',
    resources: [
      STAY,
      condition('a', 'E11.9', {
        ...status('resolved'),
        recordedDate: '2020',
        abatementDateTime: '2026-06-01',
      }),
    ],
    query: THEN,
    record: { charlson_diabetes: 1 },
  },
  {
    name: 'what is over now without a date may have been present at a moment in the past',
    resources: [STAY, condition('a', 'E11.9', { ...status('resolved'), recordedDate: '2020' })],
    query: THEN,
    record: { charlson_diabetes: null },
    why: { charlson_diabetes: /Bundle\.entry\[2\]/ },
  },
  {
    name: 'what had ended before the moment was over then',
    resources: [
      STAY,
      condition('a', 'E11.9', { ...status('resolved'), recordedDate: '2020', abatementDateTime: '2021' }),
    ],
    query: THEN,
    record: { charlson_diabetes: 0 },
  },
  {
    name: 'a milder form does not hide that a severe one is unclear',
    because: 'C50 counts; C79.5 has no date and may have been known: solitary or metastatic.',
    resources: [STAY, condition('a', 'C50', { recordedDate: '2024' }), condition('b', 'C79.5')],
    query: THEN,
    record: { cancer: null, charlson_solidTumor: null },
  },
  {
    name: 'a severe form is certain although a milder one is unclear',
    resources: [STAY, condition('a', 'C50'), condition('b', 'C79.5', { recordedDate: '2024' })],
    query: THEN,
    record: { cancer: 'metastatic', charlson_solidTumor: 6 },
  },
] satisfies readonly RecordCase[])

test('every group of diagnoses with a rule of history exists', () => {
  const { history, groups } = mapping.diagnoses
  assert.deepEqual(
    Object.keys(history).filter((group) => !Object.hasOwn(groups, group)),
    [],
  )
})

test('the answer: an issue that names the entry, never the patient', () => {
  const body = bundle(
    patient({ id: 'anna' }),
    { ...STAY, subject: { reference: 'Patient/anna' } },
    {
      ...dementia({}),
      subject: { reference: 'Patient/anna' },
    },
  )
  const entries = entriesOf(answerOf(body, sourceOf('charlson10y'), THEN))
  const issues = entries.flatMap(({ resource }) => resource.issue ?? [])
  const found = issues.filter((issue) => String(issue['diagnostics']).includes('Bundle.entry[2]'))
  assert.ok(found.length > 0)
  assert.partialDeepStrictEqual(found[0], { expression: ['Bundle.entry[2].resource.recordedDate'] })
  assert.ok(!JSON.stringify(issues).includes('anna'))
})
