/** The worked Bundles, and what a Patient says of itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Resource, STAY, bundle, bundleFile, patient, recordsOf } from './source.ts'

for (const name of ['01-complete', '02-missing-birthdate', '03-two-patients']) {
  test(`${name}: the records are those of the worked example`, () => {
    const { records } = bundleFile(`${name}.expected`) as { records: Resource[] }
    const found = recordsOf(bundleFile(name))
    assert.equal(found.length, records.length)
    found.forEach(({ record, subject }, at) => {
      const { patient: reference, ...expected } = records[at] as Resource
      if (reference !== undefined) assert.equal(subject.patient.reference, reference)
      for (const [field, value] of Object.entries(expected)) assert.equal(record[field] ?? null, value, field)
    })
  })
}

const PATIENTS: readonly (readonly [string, Resource, Readonly<Record<string, unknown>>])[] = [
  ['other is X', { gender: 'other' }, { sex: 'X' }],
  ['unknown is not a value', { gender: 'unknown' }, { sex: null }],
  ['an absent gender is missing', { gender: undefined }, { sex: null }],
  ['a year that leaves the age open', { birthDate: '1940' }, { age: null }],
  ['a month that leaves no doubt', { birthDate: '1940-06' }, { age: 85 }],
  ['a month that does', { birthDate: '1940-03' }, { age: null }],
  ['the day before the birthday', { birthDate: '1940-03-03' }, { age: 85 }],
  ['the birthday', { birthDate: '1940-03-02' }, { age: 86 }],
  ['born after the stay', { birthDate: '2026-04-01' }, { age: null }],
  ['no such day', { birthDate: '1940-02-30' }, { age: null }],
  [
    'widowed',
    {
      maritalStatus: {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus', code: 'W' }],
      },
    },
    { unmarried: true },
  ],
  ['a marital status without a system', { maritalStatus: { coding: [{ code: 'W' }] } }, { unmarried: null }],
]
for (const [name, more, record] of PATIENTS) {
  test(`Patient: ${name}`, () => {
    const [found] = recordsOf(bundle(patient(more), STAY))
    for (const [field, value] of Object.entries(record))
      assert.equal(found?.record[field] ?? null, value, field)
  })
}
