/** The page that is served and tested is what its sources give, byte for byte, and it imports no code of the service. */
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildWorkbench } from '../../workbench/build.ts'

const ROOT = fileURLToPath(new URL('../../workbench', import.meta.url))

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

test('no source of the page reaches outside its folder', () => {
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const imports = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/from '([^']+)'/g)].map(
      (each) => each[1],
    )
    for (const path of imports) {
      const depth = file.split('/').length - 2
      const climbs = (path ?? '').split('../').length - 1
      assert.ok(climbs <= depth, `${file} imports ${path ?? ''}, which lies outside workbench/src`)
      assert.ok(
        (path ?? '').startsWith('.') ||
          /^(preact|preact-render-to-string|read-excel-file)(\/|$)/.test(path ?? ''),
        `${file} imports ${path ?? ''}`,
      )
    }
  }
})

for (const folder of ['src/i18n', 'src/i18n/items', 'src/report/messages']) {
  test(`both message files of ${folder} hold the same keys, and each message the same places`, () => {
    const read = (name: string): Record<string, string> =>
      JSON.parse(readFileSync(join(ROOT, folder, name), 'utf8')) as Record<string, string>
    const [english, spanish] = [read('en.json'), read('es.json')]
    assert.deepEqual(Object.keys(spanish), Object.keys(english))
    for (const [key, text] of Object.entries(english)) {
      const places = (each: string): string[] => (each.match(/\{\w+\}/g) ?? []).sort()
      assert.deepEqual(places(spanish[key] ?? ''), places(text), key)
    }
  })
}
