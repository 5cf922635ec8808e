/** The folders of src/learn are layers: a file imports from its own folder and from those below it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const ROOT = 'src/learn'
/** From the lowest to the highest. */
const LAYERS = ['numbers', 'data', 'model', 'import', 'fit', 'figures', 'report', 'tasks']

/** A folder in a layer is part of it. */
function layerName(path: string): string {
  return relative(ROOT, dirname(path)).split('/')[0] ?? ''
}

/** The imports that climb, and the files that are in no layer. */
function breaches(file: string, text: string): readonly string[] {
  const layerOf = (path: string): number => LAYERS.indexOf(layerName(path))
  if (layerOf(file) < 0) return [`${file} is in no layer`]
  return [...text.matchAll(/\b(?:from|import)\s*\(?'(\.[^']+)'/g)]
    .map(([, name = '']) => join(dirname(file), name))
    .filter((path) => path.startsWith(`${ROOT}/`) && layerOf(path) > layerOf(file))
    .map((path) => `${file} imports ${path}`)
}

test('imports between the folders of learn point downwards, and every file is in a folder', () => {
  const files = globSync(`${ROOT}/**/*.ts`)
  assert.ok(files.length > 30)
  assert.deepEqual(
    files.flatMap((file) => breaches(file, readFileSync(file, 'utf8'))),
    [],
  )
  const used = new Set(files.map(layerName))
  assert.deepEqual([...used].sort(), LAYERS.toSorted())
})

const FOUND: readonly (readonly [string, string, number])[] = [
  ['fit/a.ts', "import { b } from '../figures/b.ts'", 1],
  ['fit/a.ts', "import type {\n  B,\n} from '../report/b.ts'", 1],
  ['fit/a.ts', "const b = await import('../tasks/b.ts')", 1],
  ['fit/a.ts', "import { b } from '../data/b.ts'\nimport { c } from './c.ts'", 0],
  ['fit/a.ts', "import { b } from '../../engine/plan.ts'", 0],
  ['a.ts', '', 1],
]
for (const [file, text, count] of FOUND) {
  test(`${count} breaches in ${file}: ${JSON.stringify(text)}`, () =>
    assert.equal(breaches(join(ROOT, file), text).length, count))
}
