/**
 * A Bundle gives the right number or none: 1,000 draws of a true Bundle, up to three mechanical changes and a model. The number stays,
 * or is missing with a reason; it never becomes another one. `mutations.slow.test.ts` tries every kind on every Bundle.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Random } from '../../../../../../test/support/random.ts'
import { TODAY, type Resource, sourceOf } from '../source.ts'
import { KINDS } from './kinds.ts'
import { MODELS, faultsBetween, numbersOf } from './numbers.ts'
import { PLANTS } from './plants.ts'
import { KNOWN, draw } from './trials.ts'
import { trueBundle } from './true-bundles.ts'

const SEED = 20_261_118

test('1,000 draws: no number becomes another one', () => {
  const faults = draw(SEED, 1_000)
  assert.deepEqual(faults, [])
})

test('true Bundles give the known number in every model', () => {
  for (const [seed, known] of KNOWN.entries()) {
    if (seed >= 10) break
    assert.deepEqual(Object.keys(known), MODELS)
    assert.deepEqual(
      faultsBetween(known, numbersOf(trueBundle(seed)), { mustStay: true }),
      [],
      `Bundle ${seed}`,
    )
  }
})

/** What the maker of the Bundles has put into one, by the ids of its resources, without the adapter. */
function truthOf(body: Resource): Readonly<Record<string, unknown>> {
  const resources = (body['entry'] as { resource: Resource }[]).map(({ resource }) => resource)
  const named = (pattern: RegExp): readonly Resource[] =>
    resources.filter(({ id }) => pattern.test(String(id)))
  const [index = {}] = named(/^index$/)
  const [own = {}] = named(/^p1$/)
  const { start, end } = index['period'] as { start: string; end: string }
  const born = String(own['birthDate'])
  const years = Number(start.slice(0, 4)) - Number(born.slice(0, 4))
  const codeOf = (element: string): string =>
    (index[element] as { coding: { code: string }[] }).coding[0]?.code ?? ''
  const valueOf = (id: string): number =>
    (named(new RegExp(`^${id}$`))[0]?.['valueQuantity'] as { value: number }).value
  return {
    sex: own['gender'] === 'female' ? 'F' : 'M',
    age: start.slice(5, 10) < born.slice(5, 10) ? years - 1 : years,
    inpatientAdmissions: named(/^stay\d$/).length,
    emergencyAdmissions: named(/^visit\d$/).length,
    stayDays: (Date.parse(end.slice(0, 10)) - Date.parse(start.slice(0, 10))) / 86_400_000,
    haemoglobin: valueOf('hb2'),
    sodium: valueOf('na2'),
    oncologyService: codeOf('serviceType') === '175',
    acuteAdmission: codeOf('priority') !== 'EL',
    procedureDuringStay: named(/^procedure$/).length > 0,
  }
}

for (const model of ['readmission30', 'hospital'])
  test(`the known numbers of ${model} are those of what was put into the Bundles`, () => {
    const { scorer } = sourceOf(model)
    for (const [seed, known] of KNOWN.entries()) {
      const { risk } = scorer.assess({ idx: 0, ...truthOf(trueBundle(seed).body) }, TODAY)
      assert.equal(known[model], risk, `Bundle ${seed}`)
    }
  })

test('there are at least 40 kinds of changes, with names of their own, and each changes something', () => {
  assert.ok(KINDS.length >= 40)
  assert.equal(new Set(KINDS.map(({ name }) => name)).size, KINDS.length)
  const bundles = Array.from({ length: 8 }, (_, seed) => trueBundle(seed))
  const unchanged = bundles.map((written) => JSON.stringify(written))
  for (const { name, change } of KINDS) {
    const isChanged = bundles.some(
      (written, seed) => JSON.stringify(change(written, new Random(seed))) !== unchanged[seed],
    )
    assert.ok(isChanged, name)
  }
})

// The slow test plants them. A change of a source file must not be found out there first.
for (const [name, { file, text }] of Object.entries(PLANTS))
  test(`the text that the planted defect ${name} replaces is in its source file once`, () => {
    const source = readFileSync(new URL(`../../../../src/adapters/fhir/${file}`, import.meta.url), 'utf8')
    assert.equal(source.split(text).length - 1, 1)
  })
