/** Words on the values of instruments: each names a value that exists, and each value has one unless a reason is given. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeFields } from '@patient-risk/catalog'
import { testCatalog } from '../../../test/support/serve.ts'

const FIGURES_ALONE: Readonly<Record<string, string>> = {
  cirs: 'a figure means another grade in each of its two codings',
  gijon: 'the sources name the ends of each item only',
  mmse: 'numbers of right answers',
  miniCog_wordRecall: 'a number of words',
  phq9_difficulty: 'its values are not confirmed',
  sppb_gaitSpeed: 'the seconds for a point depend on the course',
}
const MOST_BUTTONS = 12

type Texts = Readonly<Record<string, string>>
const read = (file: string): Texts =>
  JSON.parse(readFileSync(new URL(`../src/i18n/${file}`, import.meta.url), 'utf8')) as Texts
const SPANISH_PHRASES = read('items/phrases-es.json')
const ALL_PHRASES = { ...read('phrases-es.json'), ...SPANISH_PHRASES }
const FIELDS = scaleFields()
const CONDITIONS = new Set(['charlson', 'laceCharlson', 'frail', 'fried', 'cam', 'downton'])

for (const language of ['en', 'es']) {
  const words = read(`items/${language}.json`)

  test(`every word (${language}) is on a value of a field, or of the items of a scale, that has none of its own`, () => {
    const shown = new Set(
      FIELDS.flatMap(({ name, scale, role, values, valueMeanings }) =>
        values
          .filter((value) => valueMeanings[value] === undefined)
          .map((value) =>
            role === 'item' && words[`item.${name}.${value}`] === undefined
              ? `item.${scale}.${value}`
              : `item.${name}.${value}`,
          ),
      ),
    )
    assert.deepEqual(
      Object.keys(words).filter((key) => !shown.has(key)),
      [],
    )
  })

  test(`every value that is a button has a word (${language}), unless a reason is given`, () => {
    const bare = FIELDS.filter(
      ({ name, scale, role, values }) =>
        (role === 'item' || role === 'context') &&
        values.length <= MOST_BUTTONS &&
        FIGURES_ALONE[name] === undefined &&
        FIGURES_ALONE[scale] === undefined,
    ).flatMap(({ name, scale, role, values, valueMeanings }) =>
      values
        .filter(
          (value) =>
            valueMeanings[value] === undefined &&
            words[`item.${name}.${value}`] === undefined &&
            (role !== 'item' || (words[`item.${scale}.${value}`] === undefined && !CONDITIONS.has(scale))),
        )
        .map((value) => `${name} ${value}`),
    )
    assert.deepEqual(bare, [])
  })
}

test('reversed items say "yes" where there is no point', () => {
  const english = read('items/en.json')
  for (const field of [
    'g8_manyDrugs',
    'gds15_satisfiedWithLife',
    'gds15_goodSpirits',
    'gds15_happyMostOfTime',
    'gds15_wonderfulToBeAlive',
    'gds15_fullOfEnergy',
  ])
    assert.deepEqual([english[`item.${field}.0`], english[`item.${field}.1`]], ['yes', 'no'], field)
})

test('what the service says of the values of instruments is translated whole, and nothing else', () => {
  const said = new Set(FIELDS.flatMap(({ valueMeanings }) => Object.values(valueMeanings)))
  assert.deepEqual(
    [...said].filter((text) => ALL_PHRASES[text] === undefined),
    [],
  )
  assert.deepEqual(
    Object.keys(SPANISH_PHRASES).filter((text) => !said.has(text)),
    [],
  )
})

interface ScaleField {
  readonly name: string
  readonly scale: string
  readonly role: string
  readonly values: readonly string[]
  readonly valueMeanings: Texts
}

/** The fields of all scales that list their values. */
function scaleFields(): readonly ScaleField[] {
  const catalog = testCatalog()
  const known = new Map<string, ScaleField>()
  for (const { definition } of catalog.models.values()) {
    for (const { name, scale, role, values, valueMeanings } of describeFields(catalog, definition).fields) {
      if (scale === undefined || values === undefined) continue
      known.set(name, { name, scale, role, values: values.map(String), valueMeanings: valueMeanings ?? {} })
    }
  }
  return [...known.values()]
}
