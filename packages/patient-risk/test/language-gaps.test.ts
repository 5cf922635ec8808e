/** `check` and languages: what one lacks is said, and is no fault. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CLINICAL_ROOT } from '../../../test/support/serve.ts'
import { inFolder, runHere } from '../../../test/support/run-command.ts'

interface LanguageFile {
  readonly texts: Readonly<Record<string, string>>
}

/** A fifth language: Spanish under another tag, without these texts. */
function writeLanguage(folder: string, ending: string, without: readonly string[]): string {
  const spanish = JSON.parse(
    readFileSync(join(CLINICAL_ROOT, `languages/es${ending}`), 'utf8'),
  ) as LanguageFile
  const texts = Object.fromEntries(Object.entries(spanish.texts).filter(([text]) => !without.includes(text)))
  const head = { $schema: undefined, language: 'fr', name: 'Français', locale: 'fr-FR' }
  mkdirSync(join(folder, 'languages'), { recursive: true })
  const path = join(folder, 'languages', `fr${ending}`)
  writeFileSync(path, JSON.stringify({ ...spanish, ...head, texts }))
  return path
}

function writeConfig(folder: string): string {
  const config = join(folder, 'config.json')
  const deployment = { name: 'own', basePath: '/', model: 'lace', output: 'number', languages: ['fr', 'ca'] }
  writeFileSync(config, JSON.stringify({ clinical: [folder], deployments: [deployment] }))
  return config
}

test('a language of a hospital: what it lacks is counted for its folder and for the configuration, and listed for its files', () =>
  inFolder(async (folder) => {
    const clinical = writeLanguage(folder, '.json', ['Age', 'LACE index, 2010'])
    const page = writeLanguage(folder, '.page.json', ['Sign in'])
    const said =
      'Language fr: clinical texts that are missing and given in English: 2; words of the page that are missing: 1.'
    for (const [path, expected] of [
      [
        clinical,
        /\nMissing in fr, and given in English: 2:\n {2}"(Age|LACE index, 2010)"\n {2}"(Age|LACE index, 2010)"\n$/,
      ],
      [page, /\nMissing in fr, and given in English: 1:\n {2}"Sign in"\n$/],
      [folder, new RegExp(`\\n${said}\\n$`)],
      [writeConfig(folder), new RegExp(`1 deployments; all cases pass\\.\\n${said}\\n$`)],
    ] as const) {
      const { code, out, err } = await runHere(['check', path])
      assert.equal(code, 0, err)
      assert.match(out, expected)
    }
  }))

test('without words of the page a language is not offered there, and check says so', () =>
  inFolder(async (folder) => {
    writeLanguage(folder, '.json', [])
    const { out } = await runHere(['check', folder])
    assert.match(
      out,
      /given in English: 0; there is no fr\.page\.json, so that the page does not offer it\.\n$/,
    )
  }))

test('a complete language is not mentioned, and its file lacks nothing', async () => {
  const folder = await runHere(['check', CLINICAL_ROOT])
  assert.doesNotMatch(folder.out, /Language/)
  const file = await runHere(['check', join(CLINICAL_ROOT, 'languages/ca.page.json')])
  assert.match(file.out, /\nMissing in ca, and given in English: 0\.\n$/)
})

test('a file of a language that cannot be used is refused with its place', () =>
  inFolder(async (folder) => {
    const path = writeLanguage(folder, '.json', [])
    writeFileSync(path, readFileSync(path, 'utf8').replace('"fr-FR"', '"no locale"'))
    const { code, err } = await runHere(['check', path])
    assert.equal(code, 1)
    assert.match(err, /fr\.json at \/locale: no locale is not a locale/)
  }))
