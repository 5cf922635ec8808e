/** The page's own words in other languages: each is there, none is out of date, and what is filled in has its place. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { checkName } from '@patient-risk/server/store'
import { testCatalog } from '../../../test/support/serve.ts'

const SOURCES = new URL('../src/', import.meta.url)
const ENGLISH: ReadonlyMap<string, string> = new Map(
  globSync('**/en.json', { cwd: SOURCES }).flatMap((file) =>
    Object.entries(JSON.parse(readFileSync(new URL(file, SOURCES), 'utf8')) as Record<string, string>),
  ),
)

/** The only rule of keys that a person can break in the form of the page; the service words it. */
function nameRule(): string {
  try {
    return checkName('')
  } catch (error) {
    return (error as Error).message
  }
}

test('the page has its own words in several files', () => assert.ok(ENGLISH.size > 900))

for (const [tag, { page }] of testCatalog().languages.others) {
  const { texts = {}, places = {} } = page ?? {}
  const textOf = (key: string, english: string): string | undefined =>
    places[key]?.en === english ? places[key].text : texts[english]

  test(`${tag}: every word of the page is translated`, () => {
    const missing = [...ENGLISH].filter(([key, english]) => textOf(key, english) === undefined)
    assert.deepEqual(
      missing.map(([key]) => key),
      [],
    )
    assert.ok(Object.hasOwn(texts, nameRule()))
  })

  test(`${tag}: every translation is of a word that the page has`, () => {
    const used = new Set([nameRule(), ...ENGLISH.values()])
    assert.deepEqual(
      Object.keys(texts).filter((english) => !used.has(english)),
      [],
    )
    const stale = Object.entries(places).filter(([key, { en }]) => ENGLISH.get(key) !== en)
    assert.deepEqual(
      stale.map(([key]) => key),
      [],
    )
  })
}
