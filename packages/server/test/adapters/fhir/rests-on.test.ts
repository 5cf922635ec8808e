/** What a FHIR answer rests on: contributions, bands, notices and the range, in the RiskAssessment and as information issues. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Source } from '../../../src/adapters/fhir/assess.ts'
import { bandTexts, rangeText } from '../../../src/adapters/fhir/reasons.ts'
import type { RiskRange } from 'patient-risk-engine/explain'
import { FIELD_SYSTEM } from '../../../src/adapters/fhir/codings.ts'
import {
  EVERYTHING,
  OLD,
  type Resource,
  STAY,
  answerOf,
  bundle,
  encounter,
  entriesOf,
  observation,
  patient,
  sourceOf,
} from './source.ts'

interface Issue {
  readonly severity: string
  readonly code: string
  readonly details: { readonly text: string }
  readonly diagnostics?: string
  readonly expression?: readonly string[]
}
interface Said {
  readonly rationale: string
  /** The notes after the one that says where the values come from. */
  readonly notes: readonly string[]
  readonly information: readonly Issue[]
  readonly warnings: readonly Issue[]
}

function saidOf(resources: readonly Resource[], source: Source): Said {
  const entries = entriesOf(
    answerOf(bundle(...resources), source, { history: 'complete', asOf: '2026-11-15' }),
  )
  const all = entries.map(({ resource }) => resource)
  const risk = all.find(({ resourceType }) => resourceType === 'RiskAssessment') ?? {}
  const issues = all.flatMap(({ issue = [] }) => issue) as unknown as readonly Issue[]
  const [prediction = {}] = (risk['prediction'] ?? []) as readonly Resource[]
  const [, ...notes] = (risk['note'] ?? []) as readonly { readonly text: string }[]
  return {
    rationale: String(prediction['rationale']),
    notes: notes.map(({ text }) => text),
    information: issues.filter(({ severity }) => severity === 'information'),
    warnings: issues.filter(({ severity }) => severity === 'warning'),
  }
}

/** A field under its own name. */
const field = (name: string, value: unknown): Resource =>
  observation(name, name, value, { code: { coding: [{ system: FIELD_SYSTEM, code: name }] } })
const plain = (name: string, value: number): Resource => field(name, { value })

const READMISSION = sourceOf('readmission30')
/** A source that also reads these scales, as a model with them does. */
const withScales = (...ids: readonly string[]): Source => ({
  ...READMISSION,
  wanted: { ...READMISSION.wanted, scales: EVERYTHING.scales.filter(({ id }) => ids.includes(id)) },
})

test('the rationale has one contribution for each input, against the typical patient; age is one of them', () => {
  const { rationale, notes, information } = saidOf([patient(), STAY, OLD], READMISSION)
  assert.match(
    rationale,
    /^\d+\.\d\d %\. Sum of points -?[\d.]+\. Compared with the typical patient .* %\): /,
  )
  assert.equal(rationale.match(/\bage 85\b/g)?.length, 1)
  assert.equal(rationale.split('; ').length, 5)
  assert.deepEqual([notes, information], [[], []])
})

test('a model without a typical patient lists its terms', () => {
  const source = sourceOf('charlson10y')
  const { rationale } = saidOf([patient(), STAY, plain('charlson_total', 3)], source)
  assert.match(rationale, /^\d+\.\d\d %\. Sum of points \d+: /)
  assert.doesNotMatch(rationale, /typical/)
})

const component = (name: string, value: number): Resource => ({
  code: { coding: [{ system: FIELD_SYSTEM, code: name }] },
  valueQuantity: { value },
})

/** What the record is · its resources · the scales that are read · the notices as code and field. */
const NOTICES: readonly (readonly [string, readonly Resource[], readonly string[], readonly string[]])[] = [
  ['nothing to say', [patient(), STAY, OLD], [], []],
  [
    '110 years, 100 admissions, 3,650 days',
    [
      patient({ birthDate: '1916-01-15' }),
      encounter('index', 'IMP', '2016-03-11T10:00:00+01:00', '2026-03-09T12:00:00+01:00'),
      plain('inpatientAdmissions', 100),
    ],
    [],
    ['outside-data:age', 'outside-data:inpatientAdmissions', 'outside-data:stayDays'],
  ],
  [
    'a Barthel that adds up what is filled in',
    [
      patient(),
      STAY,
      OLD,
      {
        ...plain('barthel_total', 15),
        component: [component('barthel_feeding', 10), component('barthel_bathing', 5)],
      },
    ],
    ['barthel'],
    ['incomplete-scale:barthel_total'],
  ],
  [
    'a woman who is a man in PRISMA-7',
    [patient(), STAY, OLD, plain('prisma7_male', 1)],
    ['prisma7'],
    ['contradiction:prisma7_male'],
  ],
]
describe('notices', () => {
  for (const [what, resources, scales, expected] of NOTICES) {
    test(what, () => {
      const { notes, information } = saidOf(resources, withScales(...scales))
      assert.deepEqual(
        information.map(({ diagnostics }) => diagnostics),
        expected,
      )
      assert.deepEqual(
        information.map(({ details }) => details.text),
        notes,
      )
      for (const { severity, code, expression } of information) {
        assert.deepEqual([severity, code], ['information', 'informational'])
        assert.match(String(expression), /^Bundle\.entry\[\d+\]/)
      }
    })
  }
})

test('an item that asks for action is a note, and an issue that warns', () => {
  const resources = [patient(), STAY, OLD, plain('phq9_selfHarm', 1)]
  const { notes, information, warnings } = saidOf(resources, withScales('phq9'))
  assert.deepEqual(
    warnings.map(({ code, diagnostics }) => [code, diagnostics]),
    [['informational', 'act-on-item:phq9_selfHarm']],
  )
  assert.deepEqual(
    notes,
    warnings.map(({ details }) => details.text),
  )
  assert.match(String(notes), /^Thoughts of death or self-harm are reported: /)
  assert.deepEqual(information, [])
})

/** What the record is · the scale · its values · the note on its band. */
const BANDS: readonly (readonly [string, string, readonly Resource[], readonly string[]])[] = [
  [
    'a grip of 20 kg is not low for a woman',
    'gripStrength',
    [plain('gripStrength_total', 20)],
    ['gripStrength: not low (EWGSOP2 2019).'],
  ],
]
describe('bands', () => {
  for (const [what, scale, resources, expected] of BANDS)
    test(what, () => {
      assert.deepEqual(saidOf([patient(), STAY, OLD, ...resources], withScales(scale)).notes, expected)
    })

  test('a NEWS2 with one item at 3 is not low, and a bare total of 3 has no band', () => {
    const news2 = EVERYTHING.scales.find(({ id }) => id === 'news2') ?? assert.fail()
    const [first = '', ...others] = Object.keys(news2.items)
    const items = [plain(`news2_${first}`, 3), ...others.map((name) => plain(`news2_${name}`, 0))]
    const noteOf = (...resources: readonly Resource[]): readonly string[] =>
      saidOf([patient(), STAY, OLD, ...resources], withScales('news2')).notes
    assert.match(String(noteOf(...items)), /^news2: low-medium \(/)
    assert.deepEqual(noteOf(plain('news2_total', 3)), [])
  })

  test('a scheme that is not confirmed says so', () => {
    const state = { scale: 'x', total: 1, complete: true, given: 0, needed: 1, band: 'low', scheme: 'ours' }
    assert.deepEqual(bandTexts([{ ...state, verified: false }]), ['x: low (ours, not confirmed).'])
  })
})

/** The output · what is told where the sex is missing. */
const RANGES = [
  ['number', 'The risk lies between 15.97 % and 16.29 %, whatever sex is.'],
  ['yes-no', 'The risk lies between 15.97 % and 16.29 %, whatever sex is; the answer Yes does not change.'],
] as const
describe('the range of a patient without a risk is an information issue', () => {
  for (const [output, expected] of RANGES)
    test(output, () => {
      const { information, notes } = saidOf(
        [patient({ gender: undefined }), STAY, OLD],
        sourceOf('readmission30', output),
      )
      assert.deepEqual(
        information.map(({ details, diagnostics }) => [details.text, diagnostics]),
        [[expected, 'range:sex']],
      )
      assert.deepEqual(notes, [])
    })
})

const RANGE_TEXTS: readonly (readonly [RiskRange, string])[] = [
  [
    { inputs: ['stayDays'], possible: [0.0512, 0.6231], usual: [0.0702, 0.181], decided: null },
    'The risk lies between 5.12 % and 62.31 %, whatever stayDays is, and between 7.02 % and 18.1 % for usual values.',
  ],
  [
    { inputs: ['age', 'sex', 'stayDays'], possible: [0.01, 0.02], usual: null, decided: 'No' },
    'The risk lies between 1 % and 2 %, whatever age, sex and stayDays are; the answer No does not change.',
  ],
  [
    { inputs: ['sex'], possible: [0.02, 0.02], usual: [0.02, 0.02], decided: null },
    'The risk lies at 2 %, whatever sex is.',
  ],
]
for (const [range, expected] of RANGE_TEXTS) test(expected, () => assert.equal(rangeText(range), expected))
