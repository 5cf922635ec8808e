/** Scales in every shape: totals, components, members, QuestionnaireResponses and single items. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Resource, STAY, answerOf, bundle, observation, patient, sourceOf, ucum } from './source.ts'
import { type RecordCase, checkRecords } from './record-cases.ts'

const at = (time: string): Resource => ({ effectiveDateTime: time })
const BARTHEL = {
  feeding: '83184-2',
  bathing: '83181-8',
  grooming: '96767-9',
  dressing: '83182-6',
  bowels: '96759-6',
  bladder: '96760-4',
  toiletUse: '83183-4',
  chairTransfers: '83185-9',
  mobility: '83186-7',
  stairs: '96758-8',
}
const POINTS = {
  feeding: 10,
  bathing: 5,
  grooming: 5,
  dressing: 10,
  bowels: 10,
  bladder: 10,
  toiletUse: 10,
  chairTransfers: 15,
  mobility: 15,
  stairs: 5,
}
const weighted = (points: number, url = 'itemWeight'): Resource => ({
  system: 'http://loinc.org',
  code: 'LA1',
  extension: [{ url: `http://hl7.org/fhir/StructureDefinition/${url}`, valueDecimal: points }],
})
const names = Object.keys(BARTHEL) as (keyof typeof BARTHEL)[]
const items = Object.fromEntries(names.map((name) => [`barthel_${name}`, POINTS[name]]))
const code = (value: string): Resource => ({ coding: [{ system: 'http://loinc.org', code: value }] })
const response = (
  more: Resource = {},
  answer: (name: keyof typeof BARTHEL) => Resource = (name) => ({
    valueCoding: weighted(POINTS[name], 'ordinalValue'),
  }),
): Resource => ({
  resourceType: 'QuestionnaireResponse',
  id: 'qr',
  status: 'completed',
  subject: { reference: 'Patient/p' },
  authored: '2026-03-05T09:00:00+01:00',
  item: [
    { linkId: 'group', item: names.map((name) => ({ linkId: `/${BARTHEL[name]}`, answer: [answer(name)] })) },
  ],
  ...more,
})
const SCALES: readonly RecordCase[] = [
  {
    name: 'a total with components',
    resources: [
      STAY,
      observation('t', '96761-2', ucum(95, '{score}'), {
        component: names.map((name) => ({ code: code(BARTHEL[name]), valueInteger: POINTS[name] })),
      }),
    ],
    record: { barthel_total: 95, barthel_date: '05-03-2026', ...items },
  },
  {
    name: 'a total that references a questionnaire',
    resources: [
      STAY,
      observation('t', '96761-2', ucum(95, '{score}'), {
        derivedFrom: [{ reference: 'QuestionnaireResponse/qr' }],
      }),
      response(),
    ],
    record: { barthel_total: 95, ...items },
  },
  {
    name: 'a questionnaire alone',
    resources: [STAY, response()],
    record: { barthel_total: null, barthel_date: '05-03-2026', ...items },
  },
  {
    name: 'a questionnaire in progress does not count',
    resources: [STAY, response({ status: 'in-progress' })],
    record: { barthel_feeding: null },
  },
  {
    name: 'codes without weights have no points',
    resources: [STAY, response({}, () => ({ valueCoding: { system: 'http://loinc.org', code: 'LA1' } }))],
    record: { barthel_feeding: null },
  },
  {
    name: 'a panel with members',
    resources: [
      STAY,
      {
        ...observation('panel', '38228-3', undefined),
        valueQuantity: undefined,
        hasMember: [{ reference: 'Observation/m' }, { reference: 'Observation/t' }],
      },
      observation('m', '38229-1', undefined, { valueCodeableConcept: { coding: [weighted(3)] } }),
      observation('t', '38227-5', ucum(18, '{score}')),
    ],
    record: { braden_total: 18, braden_moisture: 3 },
  },
  {
    name: 'single items of one day',
    resources: [
      STAY,
      ...names.map((name) => observation(name, BARTHEL[name], ucum(POINTS[name], '{score}'))),
    ],
    record: { barthel_total: null, ...items },
  },
  {
    name: 'the latest assessment counts as a whole',
    resources: [
      STAY,
      response(),
      observation('t', '96761-2', ucum(40, '{score}'), at('2026-03-07T08:00:00+01:00')),
    ],
    record: { barthel_total: 40, barthel_feeding: null, barthel_date: '07-03-2026' },
  },
  {
    name: 'an item given twice with different values',
    resources: [
      STAY,
      observation('t', '96761-2', ucum(95, '{score}'), {
        component: [0, 10].map((points) => ({ code: code(BARTHEL.feeding), valueInteger: points })),
      }),
    ],
    record: { barthel_total: 95, barthel_feeding: null },
  },
  {
    name: 'a total with a unit is not a total',
    resources: [STAY, observation('t', '96761-2', ucum(95, 'kg'))],
    record: { barthel_total: null },
  },
  {
    name: 'an assessment of last year is not of this stay',
    resources: [STAY, observation('t', '96761-2', ucum(95, '{score}'), at('2025-03-07'))],
    record: { barthel_total: null },
  },
  {
    name: 'a scale under our own code',
    resources: [
      STAY,
      {
        ...observation('t', 'x', ucum(3, '1')),
        code: { coding: [{ system: 'urn:patient-risk:fields', code: 'frail_total' }] },
      },
    ],
    record: { frail_total: 3 },
  },
]

checkRecords(SCALES)

test('a scale without weights: the reason and the element are named', () => {
  const unweighted = response({}, () => ({ valueCoding: { system: 'http://loinc.org', code: 'LA1' } }))
  const { entry } = answerOf(bundle(patient(), STAY, unweighted), sourceOf('profund')) as {
    entry: { resource: { issue: Resource[] } }[]
  }
  const issue = entry[0]?.resource.issue.find(({ details }) =>
    (details as { text: string }).text.includes('barthel'),
  )
  assert.partialDeepStrictEqual(issue, {
    code: 'value',
    diagnostics: 'The answer is a code without a weight (itemWeight or ordinalValue).',
    expression: ['Bundle.entry[2].resource.item[0].item[0].answer[0].value'],
  })
})

test('no assessment: every item that the model takes has the reason', () => {
  const { entry } = answerOf(bundle(patient(), STAY), sourceOf('walter')) as {
    entry: { resource: { issue: { severity: string; details: { text: string }; diagnostics?: string }[] } }[]
  }
  const items = (entry[0]?.resource.issue ?? []).filter(
    ({ severity, details }) => severity === 'error' && details.text.includes('barthel_'),
  )
  assert.equal(items.length, 5)
  for (const { diagnostics } of items)
    assert.equal(diagnostics, 'No assessment with this scale lies in the window.')
})
