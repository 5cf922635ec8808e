/** Templates of lists: for every model one that the page reads without a question. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { makeDeployments } from '@patient-risk/catalog'
import { describeCatalogue, describeModel } from '@patient-risk/catalog/pages'
import { packOf } from '../../../test/support/languages.ts'
import { testCatalog } from '../../../test/support/serve.ts'
import { CLINICAL_WORDS } from '../build.ts'
import { suggestMatches } from '../src/list/match/match-columns.ts'
import { statedMeasure } from '../src/list/match/stated-measure.ts'
import { readSheet } from '../src/list/read/read-sheet.ts'
import type { Field, FieldCatalogue } from '../src/shapes/fields.ts'
import type { Model } from '../src/shapes/model.ts'

interface Loaded {
  readonly model: Model
  readonly catalogue: FieldCatalogue
}

/** What is tested of the page, bundled because it imports JSON. */
interface Page {
  readonly addLanguage: (pack: object) => void
  readonly aliasesOf: (name: string) => readonly string[]
  readonly offered: { readonly set: (languages: readonly object[]) => void }
  readonly wordsFor: (language: string) => object
  readonly csvTemplate: (words: object, loaded: Loaded) => string
  readonly templateColumns: (
    words: object,
    loaded: Loaded,
  ) => readonly { readonly name: string; readonly field: Field }[]
  readonly xlsxTemplate: (
    words: object,
    loaded: Loaded,
  ) => readonly { readonly rows: Iterable<readonly unknown[]> }[]
}

const { outputFiles } = await build({
  stdin: {
    contents: `export { addLanguage, offered } from './i18n/translate.ts'
      export { aliasesOf } from './list/read/open-source.ts'
      export * from './i18n/words.ts'
      export * from './list/template/list-template.ts'`,
    resolveDir: fileURLToPath(new URL('../src', import.meta.url)),
    loader: 'ts',
  },
  define: CLINICAL_WORDS,
  bundle: true,
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  write: false,
})
const script = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
const { addLanguage, aliasesOf, csvTemplate, offered, templateColumns, wordsFor, xlsxTemplate } =
  (await import(`data:text/javascript;base64,${script}`)) as Page

const catalog = testCatalog()
const MODELS = [...catalog.models.keys()]
assert.ok(MODELS.length >= 5)

const LANGUAGES = ['en', ...catalog.languages.others.keys()]
offered.set(LANGUAGES.map((language) => ({ language, name: language })))
for (const language of catalog.languages.others.keys()) addLanguage(packOf(language))

for (const [id, tag] of MODELS.flatMap((id) => LANGUAGES.map((tag) => [id, tag] as const))) {
  test(`the template of ${id} in ${tag} is a list that the page reads without a question`, async () => {
    const settings = { name: id, basePath: '/', model: id, output: 'number' } as const
    const [deployment] = makeDeployments(catalog, [settings], 'UTC').deployments
    assert.ok(deployment !== undefined)
    const model = describeModel(catalog, deployment) as unknown as Model
    const catalogue = describeCatalogue(catalog, deployment) as unknown as FieldCatalogue
    const words = wordsFor(tag)
    const text = csvTemplate(words, { model, catalogue })
    const columns = templateColumns(words, { model, catalogue })
    const row = `P1;${columns.map(() => '1').join(';')}`
    const sheet = await readSheet({
      name: 'template.csv',
      bytes: new TextEncoder().encode(`${text}${row}\n`),
    })
    assert.equal(sheet.rows.length, 1, 'the line with the permitted values is a title')
    const matches = suggestMatches(sheet.columns, catalogue.fields, aliasesOf, {})
    assert.deepEqual(matches, ['@identifier', ...model.inputs.map(({ name }) => name)])
    for (const { name, field } of columns) assert.equal(statedMeasure(name, field), undefined, name)
    const [list, notes] = xlsxTemplate(words, { model, catalogue })
    assert.deepEqual([...(list?.rows ?? [])], [sheet.columns])
    const said = [...(notes?.rows ?? [])].slice(1)
    assert.equal(said.length, model.inputs.length)
    for (const cells of said) assert.ok(cells[3] !== '', `${String(cells[0])} says what it may hold`)
  })
}
