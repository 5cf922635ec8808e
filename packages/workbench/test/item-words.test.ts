/** Words on the values of instruments: each names a value that exists, and each value has one unless a reason is given. */
import assert from 'node:assert/strict'
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
const FIELDS = scaleFields()
const CONDITIONS = new Set(['charlson', 'laceCharlson', 'frail', 'fried', 'cam', 'downton'])

const { values: VALUES } = testCatalog().languages.english
const WORDS: Texts = Object.fromEntries(Object.entries(VALUES).map(([key, text]) => [`item.${key}`, text]))

test(`every word is on a value of a field, or of the items of a scale, that has none of its own`, () => {
  const shown = new Set(
    FIELDS.flatMap(({ name, scale, role, values, valueMeanings }) =>
      values
        .filter((value) => valueMeanings[value] === undefined)
        .map((value) =>
          role === 'item' && WORDS[`item.${name}.${value}`] === undefined
            ? `item.${scale}.${value}`
            : `item.${name}.${value}`,
        ),
    ),
  )
  assert.deepEqual(
    Object.keys(WORDS).filter((key) => !shown.has(key)),
    [],
  )
})

test(`every value that is a button has a word, unless a reason is given`, () => {
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
          WORDS[`item.${name}.${value}`] === undefined &&
          (role !== 'item' || (WORDS[`item.${scale}.${value}`] === undefined && !CONDITIONS.has(scale))),
      )
      .map((value) => `${name} ${value}`),
  )
  assert.deepEqual(bare, [])
})

test('reversed items say "yes" where there is no point', () => {
  for (const field of [
    'g8_manyDrugs',
    'gds15_satisfiedWithLife',
    'gds15_goodSpirits',
    'gds15_happyMostOfTime',
    'gds15_wonderfulToBeAlive',
    'gds15_fullOfEnergy',
  ])
    assert.deepEqual([WORDS[`item.${field}.0`], WORDS[`item.${field}.1`]], ['yes', 'no'], field)
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
