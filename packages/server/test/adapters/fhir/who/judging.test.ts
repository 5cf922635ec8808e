/** Resources that may belong to many patients are judged with each of them, up to a limit for a body. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { around, atLimit } from '../../../../../../test/support/limits.ts'
import { type Resource, bundle, recordsOf } from '../source.ts'
import { readSubmission } from '../../../../src/adapters/fhir/read/body/submission.ts'

const REFUSED = {
  code: 'TOO_MANY_RECORDS',
  detail: /Name the patient of each resource, or send each patient in/,
}

const many = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const person = (at: number, more: object = {}): Resource => ({
  resourceType: 'Patient',
  id: `p${at}`,
  ...more,
})
const value = (at: number, subject?: object): Resource => ({
  resourceType: 'Observation',
  id: `o${at}`,
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '718-7' }] },
  ...(subject && { subject }),
})
const identified = (at: number): Resource =>
  value(at, { identifier: { system: 'https://other.example', value: `x${at}` } })
const bodyOf = (...resources: readonly (readonly Resource[])[]): Resource => ({
  ...bundle(),
  entry: resources.flat().map((resource) => ({ resource })),
})

// Each patient is judged with each name, and again with each resource that it may have: 100 × 2 × 1,000 is the limit.
atLimit(
  'resources of a FHIR body that may belong to several patients',
  around(1_000),
  (resources, isPermitted) => {
    const read = (): unknown => readSubmission(bodyOf(many(100, person), many(resources, identified)))
    if (isPermitted) assert.equal((read() as { subjects: unknown[] }).subjects.length, 100)
    else assert.throws(read, REFUSED)
  },
)

/** Ways in which each of a thousand patients may have each of a thousand resources, or so. */
const WAYS: readonly (readonly [way: string, body: Resource])[] = [
  [
    'resources without a subject',
    bodyOf(
      many(1_000, person),
      many(1_000, (at) => value(at)),
    ),
  ],
  [
    'resources of another address',
    bodyOf(
      many(1_000, person),
      many(1_000, (at) => value(at, { reference: `urn:uuid:0000${at}` })),
    ),
  ],
  [
    'patients without an id',
    bodyOf(
      many(1_000, (at) => person(at, { id: undefined })),
      many(1_000, (at) => value(at, { reference: `Patient/x${at}` })),
    ),
  ],
  [
    'patients with a link to one that has much',
    bodyOf(
      [person(-1)],
      many(1_000, (at) => person(at, { link: [{ type: 'seealso', other: { reference: 'Patient/p-1' } }] })),
      many(1_000, (at) => value(at, { reference: 'Patient/p-1' })),
    ),
  ],
]
for (const [way, body] of WAYS) {
  test(`${way}: a body with too many of them is refused before they are judged`, () => {
    assert.throws(() => readSubmission(body), REFUSED)
  })
}

test('one patient is read with whatever may be its own', () => {
  const body = bodyOf([person(1, { birthDate: '1940-01-01' })], many(20_000, identified))
  assert.equal(recordsOf(body).length, 1)
})
