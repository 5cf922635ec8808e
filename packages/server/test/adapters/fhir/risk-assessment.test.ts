/** A RiskAssessment for those who store it: who performed it, when, of what outcome, from which resources, and in words. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packageVersion } from '@patient-risk/runtime'
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
} from './source.ts'

type Source = ReturnType<typeof sourceOf>
const READMISSION = sourceOf('readmission30')
const BODY = bundle(patient(), STAY, OLD)

function assessmentOf(
  body: Resource,
  source: Source = READMISSION,
  query: Record<string, string> = {},
): Resource {
  const all = entriesOf(answerOf(body, source, { history: 'complete', asOf: '2026-11-15', ...query }))
  const found = all.find(({ resource }) => resource['resourceType'] === 'RiskAssessment')
  assert.ok(found, JSON.stringify(all))
  return found.resource
}

test('the performer is a Device inside: model, versions, and the digest of the deployment', () => {
  const { performer, contained } = assessmentOf(BODY)
  assert.deepEqual(performer, { reference: '#device' })
  const [device = {}, ...others] = contained as readonly Resource[]
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(device, {
    resourceType: 'Device',
    id: 'device',
    identifier: [{ system: 'urn:patient-risk:deployment-digest', value: `sha-256=:${READMISSION.digest}:` }],
    deviceName: [
      { name: 'Readmission within 30 days', type: 'user-friendly-name' },
      { name: 'readmission30', type: 'model-name' },
    ],
    version: [
      { type: { text: 'model' }, value: READMISSION.model.version },
      { type: { text: 'service patient-risk' }, value: packageVersion() },
    ],
  })
})

// A composite, and an outcome that is narrower than its code, have none.
for (const [model, code] of [
  ['readmission30', '417005'],
  ['profund', '419620001'],
  ['walter', '419620001'],
  ['charlson10y', '419620001'],
  ['lace', undefined],
  ['hospital', undefined],
  ['inouye', undefined],
] as const) {
  test(`the outcome of ${model} has ${code === undefined ? 'no code' : `the code ${code}`}`, () => {
    const { mapping, model: definition } = sourceOf(model)
    assert.deepEqual(
      mapping.outcomes[model]?.map((coding) => [coding.system, coding.code]),
      code && [['http://snomed.info/sct', code]],
    )
    const named = { ...READMISSION, model: { ...READMISSION.model, id: model, card: definition.card } }
    const [{ outcome } = {}] = assessmentOf(BODY, named)['prediction'] as readonly Resource[]
    const { coding, text } = outcome as { coding?: readonly Resource[]; text: string }
    assert.deepEqual([coding?.[0]?.['code'], text], [code, definition.card.outcome])
    assert.ok(!JSON.stringify(coding ?? '').includes('source'))
  })
}

for (const [asOf, occurrence] of [
  ['2026-03-10', '2026-03-10'],
  ['2026-03-10T08:30:00+01:00', '2026-03-10T08:30:00+01:00'],
  ['2026-03-10T08:30+01:00', '2026-03-10T08:30:00+01:00'],
  ['2026-03-10T08:30:15.5Z', '2026-03-10T08:30:15.5Z'],
  // A time without an offset is no FHIR dateTime.
  ['2026-03-10T08:30:00', '2026-03-10'],
] as const) {
  test(`the moment ${asOf} is written as ${occurrence}`, () => {
    assert.equal(assessmentOf(BODY, READMISSION, { asOf })['occurrenceDateTime'], occurrence)
  })
}

test('without a moment it is the day of the call where the stay ended that day, or else the end of the stay', () => {
  const occurrenceOf = (end: string): unknown => {
    const body = bundle(patient(), encounter('index', 'IMP', '2026-11-02', end))
    const [{ resource } = { resource: {} as Resource }] = entriesOf(
      answerOf(body, sourceOf('readmission30'), { history: 'complete' }),
    )
    return resource['occurrenceDateTime']
  }
  assert.deepEqual(['2026-11-15', '2026-11-14', '2026-11-09'].map(occurrenceOf), [
    '2026-11-15',
    '2026-11-14',
    '2026-11-09',
  ])
})

const basisOf = (assessment: Resource): readonly string[] =>
  (assessment['basis'] as readonly { reference: string }[]).map(({ reference }) => reference).sort()

test('the basis names every resource that was used, the index stay among them', () => {
  assert.deepEqual(basisOf(assessmentOf(BODY)), ['Encounter/index', 'Encounter/old', 'Patient/p'])
  // Charlson takes no field of the stay, but counts the age at it.
  const ill = bundle(patient(), STAY, condition('c', 'I21.0', { recordedDate: '2020-01-01' }))
  assert.deepEqual(basisOf(assessmentOf(ill, sourceOf('charlson10y'))), [
    'Condition/c',
    'Encounter/index',
    'Patient/p',
  ])
})

test('delirium in the stay before rests on that stay, found or not', () => {
  const field = (name: string, more: Resource): Resource =>
    observation(name, name, undefined, {
      code: { coding: [{ system: 'urn:patient-risk:fields', code: name }] },
      ...more,
    })
  const others = [
    field('caregiver', {
      valueCodeableConcept: { coding: [{ system: 'urn:patient-risk:fields', code: 'spouse' }] },
    }),
    field('nyhaOrMrc3to4', { valueBoolean: false }),
    field('haemoglobin', { valueQuantity: { value: 12, unit: 'g/dL' } }),
    field('barthel_total', { valueInteger: 60 }),
  ]
  const delirium = condition('d', 'F05.9', {
    encounter: { reference: 'Encounter/old' },
    recordedDate: '2025-09-12',
  })
  for (const more of [[], [delirium]]) {
    const { note } = assessmentOf(bundle(patient(), STAY, OLD, ...others, ...more), sourceOf('profund'))
    const [origins] = note as readonly { text: string }[]
    const sources = [...more.map(() => 'Condition/d'), 'Encounter/old'].join(', ')
    assert.ok(origins?.text.split('\n').includes(`deliriumLastAdmission: ${sources}`), origins?.text)
  }
})

test('the narrative says the same in words, and marks in a text of a site are escaped', () => {
  const title = 'Risk <30 days & "more"'
  const named = { ...READMISSION, model: { ...READMISSION.model, title } }
  const { text, prediction } = assessmentOf(BODY, named)
  const { status, div } = text as { status: string; div: string }
  const [{ rationale } = {}] = prediction as readonly Resource[]
  assert.equal(status, 'generated')
  assert.match(div, /^<div xmlns="http:\/\/www\.w3\.org\/1999\/xhtml">(<p>[^<>]+<\/p>)+<\/div>$/)
  assert.ok(div.includes('<p>Risk &#60;30 days &#38; &#34;more&#34; '))
  assert.ok(div.includes(String(rationale)))
  assert.ok(div.includes('From 2026-03-09 to 2026-04-08, assessed as of 2026-11-15.'))
})
