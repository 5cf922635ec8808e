/** Without asOf there is no risk for a period that is over, and the index stay sets the moment. Today: 15 November 2026. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRecords } from '../record-cases.ts'
import {
  OLD,
  type Resource,
  STAY,
  answerOf,
  bundle,
  condition,
  encounter,
  entriesOf,
  observation,
  patient,
  sourceOf,
} from '../source.ts'

const COMPLETE = { history: 'complete' }
const OVER =
  /^The period of the risk was over on (.*)\. Name the moment of the assessment \(asOf\) to get one\.$/
const stay = (start: string, end?: string, more: Resource = {}): Resource =>
  encounter('index', 'IMP', start, end, more)

/** A stay, what the call says, and the day on which the period was over; undefined: there is a risk. */
const PERIODS: readonly (readonly [
  Resource,
  Readonly<Record<string, string>>,
  string | undefined,
  string,
])[] = [
  [stay('1970-03-02', '1970-03-09'), {}, '1970-04-08', 'a stay of 1970'],
  [stay('2026-10-09', '2026-10-15'), {}, '2026-11-14', 'over since yesterday'],
  [stay('2026-10-09', '2026-10-16'), {}, undefined, 'it ends today'],
  [stay('2026-11-09', '2026-11-15'), {}, undefined, 'discharged today'],
  [STAY, {}, '2026-04-08', 'a stay of March'],
  [STAY, { asOf: '2026-03-09' }, undefined, 'the moment is named'],
  [STAY, { asOf: '2026-11-15' }, undefined, 'the moment is named, and it is today'],
  [STAY, { encounter: 'Encounter/index' }, '2026-04-08', 'a named stay names no moment'],
]

for (const [index, query, over, because] of PERIODS) {
  test(`${JSON.stringify(index['period'])} ${JSON.stringify(query)}: ${over === undefined ? 'a risk' : 'no risk'}, ${because}`, () => {
    const answer = answerOf(bundle(patient(), index), sourceOf('readmission30'), { ...COMPLETE, ...query })
    const [{ resource } = { resource: {} as Resource }] = entriesOf(answer)
    assert.equal(resource['resourceType'], over === undefined ? 'RiskAssessment' : 'OperationOutcome')
    if (over === undefined) return
    const [issue] = resource.issue as Resource[]
    assert.partialDeepStrictEqual(issue, {
      severity: 'error',
      code: 'business-rule',
      expression: ['Bundle.entry[1].resource.period'],
    })
    assert.equal(OVER.exec(String((issue?.['details'] as Resource)['text']))?.[1], over)
  })
}

test('a period of a year that goes on has a risk as of the end of the stay, and says so', () => {
  const barthel = observation('b', '96761-2', { value: 65 })
  const body = bundle(patient(), STAY, barthel, ...INPUTS)
  const [{ resource } = { resource: {} as Resource }] = entriesOf(
    answerOf(body, sourceOf('profund'), COMPLETE),
  )
  assert.equal(resource['resourceType'], 'RiskAssessment', JSON.stringify(resource))
  assert.equal(resource['occurrenceDateTime'], '2026-03-09')
  assert.match(JSON.stringify(resource['text']), /assessed as of 2026-03-09/)
})

const own = (code: string, value: Resource): Resource =>
  observation(code, 'x', undefined, {
    code: { coding: [{ system: 'urn:patient-risk:fields', code }] },
    ...value,
  })
const INPUTS = [
  own('caregiver', { valueString: 'spouse' }),
  own('nyhaOrMrc3to4', { valueBoolean: false }),
  own('haemoglobin', { valueQuantity: { value: 12, system: 'http://unitsofmeasure.org', code: 'g/dL' } }),
]

test('a finished stay without an end: the period may be over, so there is no risk without asOf', () => {
  const body = bundle(patient(), stay('2026-11-02'), condition('a', 'I10'))
  const [{ resource } = { resource: {} as Resource }] = entriesOf(
    answerOf(body, sourceOf('charlson10y'), COMPLETE),
  )
  assert.match(JSON.stringify(resource), /has no end, so the period of the risk may be over/)
})

test('a patient who died after the stay gets no risk without asOf', () => {
  const body = bundle(patient({ deceasedDateTime: '2026-11-14' }), stay('2026-11-02', '2026-11-09'))
  const [{ resource } = { resource: {} as Resource }] = entriesOf(
    answerOf(body, sourceOf('readmission30'), COMPLETE),
  )
  assert.match(JSON.stringify(resource), /had died/)
})

const dementia = (recordedDate: string): Resource => condition('a', 'F03', { recordedDate })
checkRecords([
  {
    name: 'the end of a stay that is over is the moment: what was recorded later does not count',
    resources: [STAY, dementia('2026-03-10')],
    query: COMPLETE,
    record: { dementia: false },
  },
  {
    name: 'the end of the stay is an instant: recorded two hours later does not count',
    resources: [STAY, dementia('2026-03-09T14:00:00+01:00')],
    query: COMPLETE,
    record: { dementia: false },
  },
  {
    name: 'recorded an hour before the end of the stay counts',
    resources: [STAY, dementia('2026-03-09T11:00:00+01:00')],
    query: COMPLETE,
    record: { dementia: true },
  },
  {
    name: 'recorded some time of the day of discharge is doubt',
    resources: [STAY, dementia('2026-03-09')],
    query: COMPLETE,
    record: { dementia: null },
  },
  {
    name: 'a named old stay sets the moment for everything else',
    resources: [STAY, OLD, dementia('2025-12-01')],
    query: { ...COMPLETE, encounter: ['Encounter/old'] },
    record: { stayDays: 5, dementia: false },
  },
  {
    name: 'a stay that goes on, and one that ended today, are judged now',
    resources: [stay('2026-11-10', '2026-11-15T09:00:00+01:00'), dementia('2026-11-15')],
    query: COMPLETE,
    record: { dementia: true },
  },
  {
    name: 'a diagnosis without a date that belongs to an Encounter was known at its end',
    resources: [STAY, condition('a', 'F03', { encounter: { reference: 'Encounter/index' } })],
    query: COMPLETE,
    record: { dementia: true },
  },
])
