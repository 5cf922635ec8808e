/** The words of the page on a date before 01-01-1900. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { CLINICAL_WORDS } from '../build.ts'
import type { PagePack } from '@patient-risk/catalog/languages'
import { packOf } from '../../../test/support/languages.ts'
import { problemOf } from '../../../test/support/earliest-date.ts'

/** What is tested of the page, which is bundled as for a browser. */
interface Page {
  addLanguage(pack: PagePack): void
  makeWords(language: 'en' | 'es', locale: string): object
  describeProblem(words: object, item: object, field: object): string
}

test('the page says that the day is too early, in both languages', async () => {
  const source = (name: string): string => fileURLToPath(new URL(`../src/i18n/${name}.ts`, import.meta.url))
  const contents = ['problem-words', 'translate', 'words']
    .map((name) => `export * from ${JSON.stringify(source(name))}`)
    .join('\n')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    define: CLINICAL_WORDS,
    format: 'esm',
    write: false,
  })
  const text = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  const page = (await import(`data:text/javascript;base64,${text}`)) as Page
  const field = { name: 'barthel_date', type: 'date' }
  page.addLanguage(packOf('es'))
  const shown: string[] = []
  for (const [language, locale] of [
    ['en', 'en-GB'],
    ['es', 'es-ES'],
  ] as const) {
    shown.push(page.describeProblem(page.makeWords(language, locale), problemOf(0), field))
  }
  assert.deepEqual(shown, [
    'This day lies before 1900. Check day, month and year.',
    'Este día es anterior a 1900. Revise día, mes y año.',
  ])
})
