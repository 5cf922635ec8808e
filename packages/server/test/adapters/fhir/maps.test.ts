/** Conditions without an ICD-10 code, by the maps of a site: what is certain counts, what is not stays open by name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GROUP_SYSTEM, type Mapping, readMaps } from '@patient-risk/catalog'
import { mapping } from '../../../../../test/support/mapping.ts'
import { type Resource, STAY, bundle, condition, patient, recordsOf } from './source.ts'
import { whyOf } from './why-of.ts'

const SNOMED = 'http://snomed.info/sct'
const COMPLETE = { history: 'complete', asOf: '2026-11-15' }

function withMaps(...resources: readonly Resource[]): Mapping {
  const faults: never[] = []
  const files = resources.map((value, at) => ({ file: `${at}.json`, value }))
  const maps = readMaps(files, mapping.diagnoses, faults)
  assert.deepEqual(faults, [])
  return { ...mapping, maps }
}

/** Each code with its targets: equivalence and code of ICD-10. */
const conceptMap = (codes: Readonly<Record<string, readonly (readonly [string, string])[]>>): Resource => ({
  resourceType: 'ConceptMap',
  status: 'active',
  group: [
    {
      source: SNOMED,
      target: 'http://hl7.org/fhir/sid/icd-10',
      element: Object.entries(codes).map(([code, targets]) => ({
        code,
        target: targets.map(([equivalence, icd]) => ({ equivalence, code: icd })),
      })),
    },
  ],
})
const valueSet = (group: string, codes: readonly string[]): Resource => ({
  resourceType: 'ValueSet',
  status: 'active',
  identifier: [{ system: GROUP_SYSTEM, value: group }],
  compose: { include: [{ system: SNOMED, concept: codes.map((code) => ({ code })) }] },
})
const snomed = (code: string, more: Resource = {}): Resource =>
  condition('a', 'x', { code: { coding: [{ system: SNOMED, code }] }, ...more })

const MAP = conceptMap({
  dementia: [['equivalent', 'F03']],
  vascular: [['wider', 'F01']],
  asthma: [['equal', 'J45.9']],
  // A kind of diabetes: with complications or without.
  diabetes: [['wider', 'E11']],
  category: [['equivalent', 'E11']],
  broad: [['narrower', 'F03']],
  near: [['relatedto', 'F03']],
  nothing: [['unmatched', '']],
  both: [
    ['equivalent', 'J45.9'],
    ['relatedto', 'F03'],
  ],
})

/** A code, and what it says of dementia and of diabetes; null: not known. */
const CODES: readonly (readonly [string, boolean | null, number | null, string])[] = [
  ['dementia', true, 0, 'the same meaning'],
  ['vascular', true, 0, 'a kind of a code of the group'],
  ['asthma', false, 0, 'the same as a code of another group'],
  ['diabetes', false, null, 'a kind of a code that lies in the group only in part'],
  ['category', false, null, 'the same as a code that was cut short'],
  ['broad', null, null, 'wider than its target, so that it may be something else'],
  ['near', null, null, 'a relation that is not known'],
  ['nothing', null, null, 'no match in ICD-10'],
  ['both', null, 0, 'certain, and perhaps dementia as well'],
  ['absent', null, null, 'a code that the map does not have'],
]
for (const [code, dementia, diabetes, because] of CODES) {
  test(`a ConceptMap: ${code} is ${because}`, () => {
    const [found] = recordsOf(bundle(patient(), STAY, snomed(code)), COMPLETE, { mapping: withMaps(MAP) })
    assert.equal(found?.record['dementia'] ?? null, dementia)
    assert.equal(found?.record['charlson_diabetes'] ?? null, diabetes)
    if (dementia === null)
      assert.match(
        whyOf(found?.findings.get('dementia')),
        new RegExp(`the maps leave open what its code ${code} is, so it may be the one: Bundle.entry\\[2\\]`),
      )
  })
}

const SETS = [
  valueSet('dementia', ['dementia']),
  valueSet('heartFailure', ['failure']),
  valueSet('known', ['wrist']),
]
/** A code, and what value sets of dementia and heart failure say of dementia, of heart failure, and of another group. */
const LISTED: readonly (readonly [string, boolean | null, boolean | null])[] = [
  ['dementia', true, false],
  ['failure', false, true],
  ['wrist', false, false],
  ['new', null, null],
]
for (const [code, dementia, failure] of LISTED) {
  test(`ValueSets: the code ${code} gives dementia ${String(dementia)}, heart failure ${String(failure)}`, () => {
    const [found] = recordsOf(bundle(patient(), STAY, snomed(code)), COMPLETE, { mapping: withMaps(...SETS) })
    assert.equal(found?.record['dementia'] ?? null, dementia)
    assert.equal(found?.record['congestiveHeartFailure'] ?? null, failure)
    assert.equal(found?.record['cancer'] ?? null, null, 'a group without a ValueSet is not known')
  })
}

test('an ICD-10 code decides, whatever the maps say of another code of the Condition', () => {
  const coding = [
    { system: SNOMED, code: 'dementia' },
    // A code of no group.
    { system: 'http://hl7.org/fhir/sid/icd-10', code: 'S52.5' },
  ]
  const resources = [patient(), STAY, condition('a', 'x', { code: { coding } })]
  const [found] = recordsOf(bundle(...resources), COMPLETE, { mapping: withMaps(MAP) })
  assert.equal(found?.record['dementia'], false)
})

test('two maps that contradict each other leave it open', () => {
  const maps = withMaps(MAP, valueSet('dementia', ['asthma', 'dementia']))
  const [found] = recordsOf(bundle(patient(), STAY, snomed('asthma')), COMPLETE, { mapping: maps })
  assert.equal(found?.record['dementia'] ?? null, null)
})

test('a status, a date and a moment count for a mapped code as for any other', () => {
  const later = snomed('dementia', { recordedDate: '2026-12-16' })
  const refuted = snomed('dementia', {
    id: 'b',
    verificationStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code: 'refuted' }],
    },
  })
  const [found] = recordsOf(bundle(patient(), STAY, later, refuted), COMPLETE, { mapping: withMaps(MAP) })
  assert.equal(found?.record['dementia'], false)
})

test('an OID names the system of a map as its URL does', () => {
  const coding = [{ system: 'urn:oid:2.16.840.1.113883.6.96', code: 'dementia' }]
  const resources = [patient(), STAY, condition('a', 'x', { code: { coding } })]
  const [found] = recordsOf(bundle(...resources), COMPLETE, { mapping: withMaps(MAP) })
  assert.equal(found?.record['dementia'], true)
})

test('without maps the reason says what to provide, and names no code', () => {
  const [found] = recordsOf(bundle(patient(), STAY, snomed('52448006')), COMPLETE)
  const why = whyOf(found?.findings.get('dementia'))
  assert.match(why, /^A Condition has no ICD-10 code, so it may be the one: Bundle\.entry\[2\]\. Send one/)
  assert.match(why, /ConceptMap or ValueSet .*\(fhir\/maps\)\.$/)
  assert.doesNotMatch(why, /52448006/)
})

test('a text in the place of a code is not repeated', () => {
  const resources = [patient(), STAY, snomed('Mrs Example, 84')]
  const [found] = recordsOf(bundle(...resources), COMPLETE, { mapping: withMaps(MAP) })
  const why = whyOf(found?.findings.get('dementia'))
  assert.match(why, /the maps leave open what its code is/)
  assert.doesNotMatch(why, /Example/)
})
