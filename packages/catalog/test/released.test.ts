/** A released file never changes: it gets a new version. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { changedFiles, presentFiles, readReleased } from '../../../scripts/release.ts'
import { loadCatalog } from '../src/catalog/load.ts'
import { CLINICAL_ROOT } from '../../../test/support/serve.ts'

const folder = mkdtempSync(join(tmpdir(), 'released-'))
after(() => rmSync(folder, { recursive: true }))

test('no released file has changed without a new version', () => {
  assert.deepEqual(changedFiles(readReleased(), presentFiles('clinical')), [])
})

test('every clinical file is released; if not: npm run release', () => {
  const released = readReleased()
  const missing = [...presentFiles('clinical').keys()].filter((key) => released[key] === undefined)
  assert.deepEqual(missing, [])
})

/** A file of the folder, changed by one figure, and the models that must fall silent. */
const CHANGES: readonly (readonly [string, string, string, readonly string[] | 'all'])[] = [
  ['models/lace/lace.json', '0.437', '0.438', ['lace@1.1.1']],
  ['scales/barthel/barthel.json', '"version": 2', '"version":  2', 'all'],
  ['fields.json', '"to": 120', '"to": 121', 'all'],
]
for (const [file, before, now, silent] of CHANGES) {
  test(`${file} changed without a new version: ${silent === 'all' ? 'no model' : `all but ${silent.join()}`} answers`, () => {
    const root = join(folder, file.replaceAll('/', '-'))
    cpSync(CLINICAL_ROOT, root, { recursive: true })
    const text = readFileSync(join(root, file), 'utf8')
    assert.ok(text.includes(before))
    writeFileSync(join(root, file), text.replace(before, now))
    const changed = changedFiles(readReleased(), presentFiles(root))
    assert.equal(changed.length, 1)
    assert.match(changed[0] ?? '', /was released as .* and has changed since.*new version/)
    const { catalog, faults } = loadCatalog([root])
    assert.deepEqual(faults, [])
    for (const [key, { selfCheckFailures, released }] of catalog?.models ?? []) {
      const isSilent = silent === 'all' || silent.includes(key)
      assert.equal(selfCheckFailures.length > 0, isSilent, `${key}: ${selfCheckFailures.join()}`)
      if (silent !== 'all') assert.equal(released, !isSilent)
    }
  })
}

test('files that have not changed are judged once; one changed byte is seen at the next load', () => {
  const root = join(folder, 'again')
  cpSync(CLINICAL_ROOT, root, { recursive: true })
  const first = loadCatalog([root])
  assert.equal(loadCatalog([root]), first)
  const file = join(root, 'scales', 'barthel', 'cases.json')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('"problems"', '"Problems"'))
  assert.notDeepEqual(loadCatalog([root]).faults, [])
  writeFileSync(file, text)
  assert.deepEqual(loadCatalog([root]).faults, [])
})
