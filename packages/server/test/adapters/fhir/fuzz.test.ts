/** Random changes of good Bundles and hook requests: never a crash, and never a number from a value that was broken. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/fast-check.ts'
import { parseBody } from 'patient-risk-engine/read'
import { readSubmission } from '../../../src/adapters/fhir/read/body/submission.ts'
import { assess, readOptions } from '../../../src/adapters/fhir/assess.ts'
import { answerBundle } from '../../../src/adapters/fhir/answer.ts'
import { type CardSettings, answerHook, readFeedback } from '../../../src/adapters/cds-hooks/cards.ts'
import { appErrorOf } from '@patient-risk/runtime'
import { INSTANCE, request, searchset } from '../cds-hooks/requests.ts'
import { type Resource, TODAY, answerOf, bundleFile, observation, sourceOf, ucum } from './source.ts'

const BODIES = ['01-complete', '02-missing-birthdate', '03-two-patients'].map(bundleFile)
const SOURCES = ['readmission30', 'hospital', 'profund', 'lace'].map((model) => sourceOf(model))
const SETTINGS: CardSettings = {
  hooks: ['patient-view', 'encounter-discharge'],
  modelUrl: 'https://risk.example.org/model',
  mayFetch: false,
  isWide: false,
  pageUrl: 'https://risk.example.org/workbench',
}
const JUNK = [
  null,
  0,
  -1,
  1e308,
  '',
  'x',
  '2026-02-30',
  true,
  [],
  [null],
  {},
  { coding: [null] },
  { reference: '#' },
  { reference: 'Patient/' },
  [[1]],
  '\u0000',
  { __proto__: 1 },
]

/** Every place in a value, as a path of keys. */
function places(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, each]) => places(each, [...path, key]))]
}

function changed(value: unknown, path: readonly string[], to: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return to
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string,
    unknown
  >
  copy[key] = changed(copy[key], rest, to)
  return copy
}

test('a changed Bundle is answered or refused', () => {
  fc.assert(
    fc.property(
      fc.nat(BODIES.length - 1),
      fc.nat(SOURCES.length - 1),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...JUNK)), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(undefined, 'complete'),
      (at, which, changes, history) => {
        let body: unknown = BODIES[at]
        for (const [place, to] of changes) {
          const all = places(body)
          body = changed(body, all[place % all.length] ?? [], to)
        }
        try {
          const source = SOURCES[which] as (typeof SOURCES)[number]
          const answer = answerOf(body, source, history === undefined ? {} : { history })
          assert.equal(answer['resourceType'], 'Bundle')
        } catch (error) {
          assert.ok(appErrorOf(error) !== undefined, String((error as Error).stack))
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('changed bytes are answered or refused', () => {
  const text = JSON.stringify(BODIES[0])
  fc.assert(
    fc.property(
      fc.nat(text.length - 1),
      fc.nat(text.length - 1),
      fc.string({ maxLength: 8 }),
      (from, length, more) => {
        const body = Buffer.from(text.slice(0, from) + more + text.slice(from + (length % 40)))
        try {
          const submission = readSubmission(parseBody(body))
          const source = SOURCES[0] as (typeof SOURCES)[number]
          const options = readOptions(submission, {}, TODAY)
          const { assessed } = assess(submission, source, options)
          answerBundle(assessed, submission, source, options)
        } catch (error) {
          assert.ok(appErrorOf(error) !== undefined, String((error as Error).stack))
        }
      },
    ),
    { numRuns: 250 },
  )
})

const HOOK = request({
  observations: searchset(observation('hb', '718-7', ucum(11, 'g/dL'))),
  procedures: null,
})
const FEEDBACK = {
  feedback: [
    {
      card: INSTANCE,
      outcome: 'overridden',
      overrideReason: { reason: { system: 'urn:patient-risk:override-reasons', code: 'data-wrong' } },
      outcomeTimestamp: '2026-03-09T12:00:00Z',
    },
  ],
}
const SECRET = 'Canary Jane Doe'
test('a changed hook request or feedback is answered or refused, and no word of it comes back', () => {
  fc.assert(
    fc.property(
      fc.nat(SOURCES.length - 1),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...JUNK, SECRET, { text: SECRET })), {
        minLength: 1,
        maxLength: 4,
      }),
      (which, changes) => {
        let [hook, feedback]: [unknown, unknown] = [HOOK, FEEDBACK]
        for (const [place, to] of changes) {
          const [all, ofFeedback] = [places(hook), places(feedback)]
          hook = changed(hook, all[place % all.length] ?? [], to)
          feedback = changed(feedback, ofFeedback[place % ofFeedback.length] ?? [], to)
        }
        const source = SOURCES[which] as (typeof SOURCES)[number]
        for (const answer of [
          () => answerHook(hook, source, SETTINGS, TODAY).text,
          () => readFeedback(feedback),
        ]) {
          try {
            assert.ok(!answer().includes(SECRET))
          } catch (error) {
            const refusal = appErrorOf(error)
            if (refusal === undefined) throw error
            assert.ok(!refusal.detail.includes(SECRET))
          }
        }
      },
    ),
    { numRuns: 250 },
  )
})

/** A value without which the model has no number, and what it is replaced by. */
const REQUIRED = [
  ['entry', '0', 'resource', 'birthDate'],
  ['entry', '0', 'resource', 'gender'],
  ['entry', '1', 'resource', 'period', 'start'],
  ['entry', '1', 'resource', 'period', 'end'],
]
test('no number comes from a broken value', () => {
  const source = sourceOf('readmission30')
  const lonely: Resource = { ...BODIES[0], entry: (BODIES[0]?.['entry'] as unknown[]).slice(0, 4) }
  for (const path of REQUIRED) {
    for (const junk of JUNK) {
      const { entry = [] } = answerOf(changed(lonely, path, junk), source) as {
        entry?: { resource: Resource }[]
      }
      const scored = entry.filter(({ resource }) => resource['resourceType'] === 'RiskAssessment')
      assert.deepEqual(scored, [], `${path.join('.')} ${JSON.stringify(junk)}`)
    }
  }
})
