/** Texts of the service that the page translates: every card is complete, and every phrase is still in use. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeFields } from '../../src/catalog/describe-fields.ts'
import type { ModelDefinition } from '../../src/definition/model.ts'
import { testCatalog } from '../serve.ts'

const PHRASES = JSON.parse(
  readFileSync(new URL('../../workbench/src/i18n/phrases-es.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, string>>

test('every phrase that is translated is one that the service says', () => {
  const said = saidBy()
  assert.deepEqual(
    Object.keys(PHRASES).filter((phrase) => !said.has(phrase)),
    [],
  )
})

test('the cards are translated whole, their limits included', () => {
  const said = [...testCatalog().models.values()].flatMap(({ definition }) => cardTexts(definition))
  assert.deepEqual(
    [...new Set(said)].filter((text) => PHRASES[text] === undefined),
    [],
  )
})

test('the base fields are translated whole: meaning, window, unit and values', () => {
  const catalog = testCatalog()
  const [model] = catalog.models.values()
  assert.ok(model !== undefined)
  const missing = describeFields(catalog, model.definition)
    .fields.filter(({ role }) => role === 'base')
    .flatMap(({ meaning, window, unit, valueMeanings }) => [
      meaning,
      window,
      unit,
      ...Object.values(valueMeanings ?? {}),
    ])
    .filter((text) => text !== undefined && PHRASES[text] === undefined)
  assert.deepEqual(missing, [])
})

/** Titles, summaries, outcomes, labels and everything that describes a field outside the scales. */
function saidBy(): ReadonlySet<string | undefined> {
  const catalog = testCatalog()
  return new Set(
    [...catalog.models.values()].flatMap(({ definition }) => [
      ...cardTexts(definition),
      ...definition.terms.map(({ label }) => label),
      ...Object.values(definition.inputs).map(({ meaning }) => meaning),
      ...describeFields(catalog, definition)
        .fields.filter(({ scale }) => scale === undefined)
        .flatMap((field) => [
          field.meaning,
          field.window,
          field.includes,
          field.excludes,
          field.unit,
          ...Object.values(field.valueMeanings ?? {}),
        ]),
    ]),
  )
}

function cardTexts({ title, card, threshold }: ModelDefinition): readonly string[] {
  const { summary, intendedUse, users, population, setting, outcome, missingData, development } = card
  return [
    ...[title, summary, intendedUse, users, population, setting, outcome, missingData, development],
    ...[card.calibration, ...card.limits, ...(card.conflicts ?? [])],
    ...card.discrimination.flatMap(({ data, calibration, source }) => [data, calibration, source]),
    ...[threshold?.note, threshold?.cost],
  ].filter((text) => text !== undefined)
}
