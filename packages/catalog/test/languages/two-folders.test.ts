/** Texts of a language in two clinical folders: the later one adds to the first, and its own texts come first. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadCatalog } from '@patient-risk/catalog'
import { CLINICAL_ROOT, testCatalog } from '../../../../test/support/serve.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-languages-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'languages'))

/** The file in the second folder · the part of the language that it changes, and the one that it leaves as it is. */
const FILES = [
  ['es.json', 'clinical', 'page'],
  ['es.page.json', 'page', 'clinical'],
] as const
const HEAD = { language: 'es', name: 'Español', locale: 'es-ES', review: 'Read by the hospital.' }
const spanish = testCatalog().languages.others.get('es')

for (const [file, changed, other] of FILES) {
  test(`${file} of a second folder replaces one text, adds one and keeps the others`, () => {
    const known = spanish?.[changed]
    const [replaced = ''] = Object.keys(known?.texts ?? {}).filter((text) => !text.includes('{'))
    const texts = { [replaced]: 'otra', 'A text of this hospital': 'Un texto de este hospital' }
    const path = join(folder, 'languages', file)
    writeFileSync(path, JSON.stringify({ ...HEAD, texts }))
    const { catalog, faults } = loadCatalog([CLINICAL_ROOT, folder])
    rmSync(path)
    assert.deepEqual(faults, [])
    const both = catalog?.languages.others.get('es')
    assert.deepEqual(both?.[changed]?.texts, { ...known?.texts, ...texts })
    assert.deepEqual(both[changed].places, known?.places)
    assert.deepEqual(both[other], spanish?.[other])
  })
}
