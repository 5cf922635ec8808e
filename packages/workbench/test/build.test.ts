/** The page that is served and tested is what its sources give, byte for byte, and of the service it holds only what is listed here. */
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { PAGE, buildWorkbench } from '../build.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

test('a build into an empty folder gives the bytes of workbench/built (else: npm run build:workbench)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-'))
  try {
    await buildWorkbench(folder)
    const files = globSync('*/*', { cwd: folder }).sort()
    assert.deepEqual(files, globSync('*/*', { cwd: join(ROOT, 'built') }).sort())
    for (const file of files) {
      const isSame = readFileSync(join(folder, file)).equals(readFileSync(join(ROOT, 'built', file)))
      assert.ok(isSame, `workbench/built/${file} is not what its sources give; run npm run build:workbench`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Functions that came after the oldest browsers that the page is built for. esbuild translates syntax only, and adds none of them. */
const TOO_NEW =
  /\b(?:AbortSignal\.any|(?:Map|Object)\.groupBy|toSorted|toReversed|toSpliced|withResolvers|Promise\.try|Iterator\.from)\b|\.with\(/

test('the page calls nothing that its oldest browsers lack', () => {
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: ROOT }))
    assert.doesNotMatch(
      readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, ''),
      TOO_NEW,
      file,
    )
})

/** Rules of the engine that the page needs without a call. It has no rule of its own on a number, a total, a band or a unit. */
const OF_THE_ENGINE = ['definition/curve.ts', 'read/parse-json.ts', 'score/likely-unit.ts', 'score/link.ts']

test('of the other packages the page holds these modules of the engine alone', async () => {
  const { metafile } = await build({ ...PAGE, metafile: true, write: false })
  const held = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
  const ofOthers = held.filter((path) => path.startsWith('../') && !path.includes('node_modules/'))
  const expected = OF_THE_ENGINE.map((path) => `../engine/src/${path}`)
  assert.deepEqual([...new Set(ofOthers)].sort(), expected)
})

test('the page imports its own sources, the engine, and four packages', () => {
  const permitted = /^(preact|preact-render-to-string|read-excel-file|fflate|patient-risk-engine)(\/|$)/
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    for (const [, path = ''] of text.matchAll(/from '([^']+)'/g)) {
      const isOwn = /^(src|generated)\//.test(relative(ROOT, join(ROOT, dirname(file), path)))
      assert.ok(path.startsWith('.') ? isOwn : permitted.test(path), `${file} imports ${path}`)
    }
  }
})

for (const folder of ['src/i18n', 'src/i18n/items', 'src/report/messages']) {
  test(`both message files of ${folder} hold the same keys, and each message the same places`, () => {
    const read = (name: string): Record<string, string> =>
      JSON.parse(readFileSync(join(ROOT, folder, name), 'utf8')) as Record<string, string>
    const english = read('en.json')
    const spanish = read('es.json')
    assert.deepEqual(Object.keys(spanish), Object.keys(english))
    for (const [key, text] of Object.entries(english)) {
      const places = (each: string): string[] => (each.match(/\{\w+\}/g) ?? []).sort()
      assert.deepEqual(places(spanish[key] ?? ''), places(text), key)
    }
  })
}
