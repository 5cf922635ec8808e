/** Texts of the service that the page translates: every card is complete, and every phrase is still in use. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeFields } from '@patient-risk/catalog'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { checkName } from '@patient-risk/server/store'
import { testCatalog } from '../../../test/support/serve.ts'

type Texts = Readonly<Record<string, string>>
const read = (file: string): Texts =>
  JSON.parse(readFileSync(new URL(`../src/i18n/${file}`, import.meta.url), 'utf8')) as Texts
const PHRASES = { ...read('phrases-es.json'), ...read('cards-es.json') }
const SCALE_PHRASES = read('items/scales-es.json')
const CONTRADICTIONS = read('items/contradictions-es.json')
const ALL_PHRASES = { ...PHRASES, ...CONTRADICTIONS, ...read('items/phrases-es.json'), ...SCALE_PHRASES }

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

test('every instrument is translated whole: title, purpose, items, bands and notes, and nothing else is', () => {
  const said = scaleTexts()
  assert.deepEqual(
    [...said].filter((text) => ALL_PHRASES[text] === undefined),
    [],
  )
  assert.deepEqual(
    Object.keys(SCALE_PHRASES).filter((text) => !said.has(text) && !schemeNames().has(text)),
    [],
  )
})

/** A scheme of bands that is called by its authors, an institution and perhaps a year needs no translation. */
const CITATION = /^(?:[A-Z0-9][\p{L}\w-]*(?:,| and| of)? ?)+(?:v[\d.]+ )?(?:\d{4})?(?: ?[(/].*)?$/u

test('the schemes of bands are translated, but for those that are a citation', () => {
  const missing = [...schemeNames()].filter((name) => ALL_PHRASES[name] === undefined)
  assert.deepEqual(
    missing.filter((name) => !CITATION.test(name)),
    [],
  )
})

test('contradictions are translated whole, every rule and what two fields say different things about, and nothing else is', () => {
  const said = contradictionTexts()
  assert.ok(said.length > 30)
  assert.deepEqual(
    said.filter((text) => CONTRADICTIONS[text] === undefined),
    [],
  )
  assert.deepEqual(
    Object.keys(CONTRADICTIONS).filter((text) => !said.includes(text)),
    [],
  )
})

test('Spanish texts write percentages and decimals as Spanish does', () => {
  const wrong = Object.values(ALL_PHRASES).filter((text) => /\d%|(?<![\d.])\d+\.\d(?!\d{2}|\.)/.test(text))
  assert.deepEqual(wrong, [])
})

/** What the page shows of instruments: labels are the meaning without the title before it. */
function scaleTexts(): ReadonlySet<string> {
  const catalog = testCatalog()
  const [model] = catalog.models.values()
  assert.ok(model !== undefined)
  const { fields, scales } = describeFields(catalog, model.definition)
  const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
  return new Set([
    ...scales.flatMap(({ title, purpose, bands, redFlags }) => [
      title,
      purpose,
      ...(redFlags ?? []).map(({ text }) => text),
      ...(bands ?? []).flatMap((scheme) =>
        [...scheme.bands, ...(scheme.rules ?? [])].map(({ label }) => label),
      ),
    ]),
    ...fields.flatMap((field) => {
      const title = scales.find(({ id }) => id === field.scale)?.title
      if (title === undefined) return []
      const isNamed = ['total', 'date', 'coding'].includes(field.role)
      const label = isNamed ? [] : [capital(field.meaning.replace(`${title}: `, ''))]
      return [...label, ...(field.note === undefined ? [] : [field.note])]
    }),
  ])
}

function schemeNames(): ReadonlySet<string> {
  const { scales } = testCatalog()
  return new Set([...scales.values()].flatMap(({ bands }) => (bands ?? []).map(({ scheme }) => scheme)))
}

/** The sentences of rules, and the quantities of fields as the sentence of the service names them. */
function contradictionTexts(): readonly string[] {
  return (testCatalog().definitions.contradictions ?? []).flatMap(({ quantities = {}, rules = [] }) => [
    ...Object.values(quantities).map(({ label }) => `the ${label}`),
    ...rules.map(({ text }) => text),
  ])
}

/** Titles, summaries, outcomes, labels and everything that describes a field outside the scales. */
function saidBy(): ReadonlySet<string | undefined> {
  const catalog = testCatalog()
  const units = describeFields(catalog, [...catalog.models.values()][0]?.definition as ModelDefinition)
  return new Set([
    nameRule(),
    ...scaleTexts(),
    ...units.fields.map(({ unit }) => unit),
    ...[...catalog.models.values()].flatMap(({ definition }) => [
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
  ])
}

/** The only rule of keys that a person can break in the form of the page. */
function nameRule(): string {
  try {
    return checkName('')
  } catch (error) {
    return (error as Error).message
  }
}

test('the rule of the names of keys is translated', () => {
  assert.ok(nameRule() in PHRASES)
})

function cardTexts({ title, card, threshold }: ModelDefinition): readonly string[] {
  const { summary, intendedUse, users, population, setting, outcome, missingData, development } = card
  return [
    title,
    summary,
    intendedUse,
    users,
    population,
    setting,
    outcome,
    missingData,
    development,
    card.calibration,
    ...card.limits,
    ...(card.conflicts ?? []),
    ...card.discrimination.flatMap(({ data, calibration, source }) => [data, calibration, source]),
    threshold?.note,
    threshold?.cost,
  ].filter((text) => text !== undefined)
}
