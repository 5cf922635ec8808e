/** Languages of the package: every clinical text is there, none is out of date, and each says who has read it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SERVICE_TEXTS, saidTexts } from '@patient-risk/catalog'
import { CLINICAL_ROOT, testCatalog } from '../../../../test/support/serve.ts'

const catalog = testCatalog()
const { others, english } = catalog.languages
const { needed, asTheyAre } = saidTexts(catalog)
const NEEDED = new Set([...needed, ...SERVICE_TEXTS])

test('English needs words only where a definition has a name or a figure', () => {
  assert.ok(Object.keys(english.names).length > 20)
  const known = new Set([...catalog.domains.keys(), 'record', 'idx', 'risk'])
  assert.deepEqual(
    Object.keys(english.names).filter((name) => !known.has(name)),
    [],
  )
  assert.deepEqual(
    [...catalog.fields.keys()].filter((name) => !Object.hasOwn(english.names, name)),
    [],
    'fields without a name',
  )
})

test('the languages of the package', () => {
  assert.deepEqual([...others.keys()].sort(), ['ca', 'es', 'pt'])
})

for (const [tag, { clinical }] of others) {
  const placed = Object.entries(clinical.places)
  const has = (text: string): boolean =>
    Object.hasOwn(clinical.texts, text) || placed.some(([, { en }]) => en === text)

  test(`${tag}: every clinical text is translated`, () => {
    assert.deepEqual(
      [...NEEDED].filter((text) => !has(text)),
      [],
    )
  })

  test(`${tag}: every translation is of a text that is still said`, () => {
    assert.deepEqual(
      Object.keys(clinical.texts).filter((text) => !NEEDED.has(text) && !asTheyAre.has(text)),
      [],
    )
    const stale = placed.filter(([place, { en }]) => wordAt(place) !== en).map(([place]) => place)
    assert.deepEqual(stale, [])
  })

  test(`${tag}: decimals and percentages are written as there`, () => {
    const wrong = Object.values(clinical.texts).filter((text) =>
      /\d%|(?<![\d.])\d+\.\d(?!\d{2}|\.)/.test(text),
    )
    assert.deepEqual(wrong, [])
  })
}

for (const file of globSync('languages/*.json', { cwd: CLINICAL_ROOT })) {
  test(`${file} says that no clinician has signed it`, () => {
    const { language, review } = JSON.parse(readFileSync(`${CLINICAL_ROOT}/${file}`, 'utf8')) as {
      readonly language: string
      readonly review: string
    }
    if (language !== 'en') assert.match(review, /No clinician has signed these texts yet/)
  })
}

/** The English word at a place: `values.cdr_global.2`. */
function wordAt(place: string): string | undefined {
  const [group = '', ...rest] = place.split('.')
  const words: Readonly<Record<string, string>> = english[group as keyof typeof english]
  return words[rest.join('.')]
}
