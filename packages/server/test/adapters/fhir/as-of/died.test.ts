/** A patient who had died by the moment of the assessment gets no risk. Stay: 2 to 9 March 2026. Today: 15 November 2026. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OLD, type Resource, STAY, answerOf, bundle, entriesOf, patient, sourceOf } from '../source.ts'

const DIED = /^The patient had died by the moment of the assessment, so there is no risk\.$/
const MAY_HAVE_DIED = /^The patient may have died by the moment of the assessment, so there is no risk\.$/
const system = 'http://terminology.hl7.org/CodeSystem/discharge-disposition'
const discharged = (code: string): Resource => ({
  hospitalization: { dischargeDisposition: { coding: [{ system, code }] } },
})

/** What the Patient and the stay say, the moment, and the text of the refusal; without one there is a risk. */
const DEATHS: readonly (readonly [string, Resource, Resource, string | undefined, RegExp?])[] = [
  ['deceased, as of now', { deceasedBoolean: true }, {}, undefined, DIED],
  [
    'deceased without a date, as of March: nobody knows',
    { deceasedBoolean: true },
    {},
    '2026-03-09',
    MAY_HAVE_DIED,
  ],
  [
    'a record that was merged into another',
    { link: [{ other: { reference: 'Patient/q' }, type: 'replaced-by' }] },
    {},
    undefined,
    /^The record of the patient was merged into another one\. Send that one\.$/,
  ],
  [
    'a record that replaces another',
    { link: [{ other: { reference: 'Patient/q' }, type: 'replaces' }] },
    {},
    '2026-11-15',
  ],
  ['not deceased', { deceasedBoolean: false }, {}, '2026-11-15'],
  ['died in April, as of now', { deceasedDateTime: '2026-04-01' }, {}, undefined, DIED],
  ['died in April, as of March: alive then', { deceasedDateTime: '2026-04-01' }, {}, '2026-03-09'],
  ['died that day', { deceasedDateTime: '2026-03-09' }, {}, '2026-03-09', DIED],
  ['died the day after', { deceasedDateTime: '2026-03-10' }, {}, '2026-03-09'],
  [
    'died in 2026, as of March: before or after',
    { deceasedDateTime: '2026' },
    {},
    '2026-03-09',
    MAY_HAVE_DIED,
  ],
  ['a date of death that is no date', { deceasedDateTime: 'yes' }, {}, undefined, DIED],
  ['the stay ended with death', {}, discharged('exp'), undefined, DIED],
  ['the stay ended with death, as of a day in it: alive then', {}, discharged('exp'), '2026-03-05'],
  ['the stay ended at home', {}, discharged('home'), '2026-11-15'],
]

for (const [name, ofPatient, ofStay, asOf, text] of DEATHS) {
  test(name, () => {
    const body = bundle(patient(ofPatient), { ...STAY, ...ofStay }, OLD)
    const query = asOf === undefined ? {} : { asOf }
    const entries = entriesOf(answerOf(body, sourceOf('readmission30'), query))
    const [{ resource } = { resource: {} as Resource }] = entries
    assert.equal(resource['resourceType'], text === undefined ? 'RiskAssessment' : 'OperationOutcome')
    if (text === undefined) return
    assert.equal(entries.length, 1)
    const [issue] = resource.issue as Resource[]
    assert.match(String((issue?.['details'] as Resource)['text']), text)
    assert.partialDeepStrictEqual(issue, { severity: 'error', code: 'business-rule' })
    assert.match(String((issue?.['expression'] as string[])[0]), /^Bundle\.entry\[[01]\]\.resource\./)
  })
}
