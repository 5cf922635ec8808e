/** The page that is served and tested is what its sources give, byte for byte, and of the service it holds only what is listed here. */
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { OFFLINE_PAGE, PAGE, buildWorkbench } from '../build.ts'

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

/** The reader of spreadsheets, which `score` uses too. */
const SPREADSHEETS = '../data/src/spreadsheets'

/** Functions that came after the oldest browsers that the page is built for. esbuild translates syntax only, and adds none of them. */
const TOO_NEW =
  /\b(?:AbortSignal\.any|(?:Map|Object)\.groupBy|toSorted|toReversed|toSpliced|withResolvers|Promise\.try|Iterator\.from)\b|\.with\(/

test('the page calls nothing that its oldest browsers lack', () => {
  for (const file of globSync(['src/**/*.{ts,tsx}', `${SPREADSHEETS}/*.ts`], { cwd: ROOT }))
    assert.doesNotMatch(
      readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, ''),
      TOO_NEW,
      file,
    )
})

/** Rules of the engine that the page needs without a call. It has no rule of its own on a number, a total, a band or a unit. */
const OF_THE_ENGINE = [
  'cells/text-forms.ts',
  'definition/curve.ts',
  'expression/bands.ts',
  'expression/build.ts',
  'expression/double.ts',
  'expression/evaluate.ts',
  'expression/forest.ts',
  'plan/codes.ts',
  'read/parse-json.ts',
  'score/likely-unit.ts',
  'score/link.ts',
  'words/sentences.ts',
]
const OF_SPREADSHEETS = ['read-xlsx.ts', 'spreadsheet.ts', 'well-formed.ts', 'xlsx-parts.ts']

test('of the other packages the page holds these modules alone', async () => {
  const { metafile } = await build({ ...PAGE, metafile: true, write: false })
  const held = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
  const ofOthers = held.filter((path) => path.startsWith('../') && !path.includes('node_modules/'))
  const expected = [
    ...OF_SPREADSHEETS.map((path) => `${SPREADSHEETS}/${path}`),
    ...OF_THE_ENGINE.map((path) => `../engine/src/${path}`),
  ]
  assert.deepEqual([...new Set(ofOthers)].sort(), expected)
})

test('the page without a service has nothing that asks over HTTP', async () => {
  const { metafile } = await build({ ...OFFLINE_PAGE, metafile: true, write: false })
  const held = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  assert.ok(held.includes('src/offline/engine-service.ts'))
  assert.ok(!held.includes('src/http-service.ts'))
})

test('every call of the page goes through its service: fetch and the like stand in one module', () => {
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const asks = /(?<![.\w])(?:fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|new Worker)/.test(
      text.replaceAll(/async fetch\(/g, ''),
    )
    assert.equal(asks, file === 'src/http-service.ts', file)
  }
})

/** The page without a service shows nothing of these views and states. */
const NOT_OFFLINE =
  /^(?:offline|signIn|lock|idle|keys|audit|operations|watch|usage|leave|failure\.(?!TIMEOUT)|app\.(?:lost|noDeployment)|progress\.waiting)/
/** Names of fields and of the list of shortcuts. */
const OTHER_MEANING = /^(?:field|alias)\.oncologyService$|^shortcuts\./
/** What a service, a key or a request would be needed for. */
const OF_A_SERVICE = /\b(?:service|key|keys|sent|send)\b/i

test('what the page says of the service, of keys and of sending, it says otherwise without a service', () => {
  const messages = JSON.parse(readFileSync(join(ROOT, 'src/i18n/en.json'), 'utf8')) as Readonly<
    Record<string, string>
  >
  const untrue = Object.entries(messages).flatMap(([key, text]) => {
    const isShown = !NOT_OFFLINE.test(key) && !OTHER_MEANING.test(key)
    const isReplaced = Object.hasOwn(messages, `offline.${key}`)
    return isShown && !isReplaced && OF_A_SERVICE.test(text) ? [key] : []
  })
  assert.deepEqual(untrue, [])
  const replaced = Object.keys(messages).filter((key) => Object.hasOwn(messages, `offline.${key}`))
  assert.ok(replaced.length > 10)
})

test('the page imports its own sources, the engine, the reader of spreadsheets, and three packages', () => {
  const permitted =
    /^(preact|preact-render-to-string|fflate|patient-risk-engine|@patient-risk\/data\/spreadsheets)(\/|$)/
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    for (const [, path = ''] of text.matchAll(/from '([^']+)'/g)) {
      const isOwn = /^(src|generated)\//.test(relative(ROOT, join(ROOT, dirname(file), path)))
      assert.ok(path.startsWith('.') ? isOwn : permitted.test(path), `${file} imports ${path}`)
    }
  }
})
