/** The language of the page: the last choice counts, whichever texts come first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeLanguage } from '../../src/i18n/change-language.ts'
import { preferences } from '../../src/preferences.ts'
import { connectTo } from '../../src/service.ts'

test('texts that come late do not replace a later choice', async () => {
  const answers = new Map<string, () => void>()
  const fetch = (path: string): Promise<Response> => {
    const language = /languages\/(\w+)\.json/.exec(path)?.[1] ?? ''
    const pack = { language, name: language, locale: language, words: { texts: {} }, clinical: { texts: {} } }
    return new Promise((resolve) => answers.set(language, () => resolve(Response.json(pack))))
  }
  connectTo({ fetch })
  const first = changeLanguage('es')
  const second = changeLanguage('ca')
  answers.get('ca')?.()
  await second
  answers.get('es')?.()
  await first
  assert.equal(preferences.get().language, 'ca')
  // A choice of English needs no texts, and counts at once.
  const third = changeLanguage('pt')
  await changeLanguage('en')
  answers.get('pt')?.()
  await third
  assert.equal(preferences.get().language, 'en')
})
