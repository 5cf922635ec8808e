/** Every status of FHIR R4: what counts with it, what does not, and what it leaves open. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionStatus, givesValue, isCounted } from '../../../src/adapters/fhir/read/rules.ts'

type Type = Parameters<typeof isCounted>[0]

/** By type and by whether a resource counts: the statuses. */
const STATUSES: Readonly<Record<Type, readonly (readonly [counts: boolean | undefined, codes: string])[]>> = {
  Observation: [
    [true, 'final amended corrected'],
    [false, 'registered preliminary cancelled entered-in-error'],
    [undefined, 'unknown invented'],
  ],
  QuestionnaireResponse: [
    [true, 'completed amended'],
    [false, 'in-progress stopped entered-in-error'],
    [undefined, 'unknown invented'],
  ],
  Procedure: [
    [true, 'completed'],
    [false, 'preparation in-progress not-done on-hold stopped entered-in-error'],
    [undefined, 'unknown invented'],
  ],
}
for (const [type, rows] of Object.entries(STATUSES)) {
  for (const [counts, codes] of rows) {
    test(`${type}: ${codes} ${counts === undefined ? 'leave it open' : `count: ${counts}`}`, () => {
      for (const code of codes.split(' ')) assert.equal(isCounted(type as Type, code), counts, code)
    })
  }
}

const SYSTEMS = {
  clinical: 'http://terminology.hl7.org/CodeSystem/condition-clinical',
  verification: 'http://terminology.hl7.org/CodeSystem/condition-ver-status',
} as const
/** Codes of each side. One of each side together contradict themselves. */
const SIDES = {
  clinical: ['active recurrence relapse', 'inactive remission resolved'],
  verification: ['confirmed', 'unconfirmed provisional differential refuted entered-in-error'],
} as const
for (const kind of ['clinical', 'verification'] as const) {
  const concept = (...codes: readonly string[]): object => {
    return { coding: codes.map((code) => ({ system: SYSTEMS[kind], code })) }
  }
  test(`each ${kind} status of a Condition is read, and not one of each side`, () => {
    const [one, other] = SIDES[kind].map((codes) => codes.split(' '))
    for (const code of [...(one ?? []), ...(other ?? [])])
      assert.deepEqual(conditionStatus(concept(code), kind), [code])
    assert.equal(conditionStatus(concept(one?.[0] ?? '', other?.[0] ?? ''), kind), undefined)
    assert.equal(conditionStatus(concept('invented'), kind), undefined)
  })
}

/** Whether a final Observation gives a value, by the reason for its absence: none was found out, or one is not sent. */
const ABSENT = [
  [false, 'not-performed not-asked asked-declined not-applicable'],
  [
    undefined,
    'unknown asked-unknown temp-unknown masked unsupported as-text error not-a-number negative-infinity positive-infinity not-permitted',
  ],
] as const
for (const [gives, codes] of ABSENT) {
  test(`without a value for ${codes} an older one ${gives === false ? 'counts' : 'does not count'}`, () => {
    for (const code of codes.split(' ')) {
      const system = 'http://terminology.hl7.org/CodeSystem/data-absent-reason'
      const part = { dataAbsentReason: { coding: [{ system, code }] } }
      assert.equal(givesValue('final', part), gives, code)
      assert.equal(givesValue('cancelled', part), false, code)
    }
  })
}
