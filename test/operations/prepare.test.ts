/** The script `prepare` builds the page where that is possible, and says so in one line where it is not: an install never fails for it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { after, test } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'prepare-'))
after(() => rmSync(folder, { recursive: true }))

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { prepare: string } }
const NOT_BUILT =
  'The page is not built: its sources or the packages that build it are not here. npm ci without --omit, in a checkout, builds it.\n'
const BUILT = 'The page is built.\n'
// Node as it is before 22.18: without support for TypeScript.
const OLD_NODE = { NODE_OPTIONS: '--no-experimental-strip-types' }

const sources = (root: string): void => {
  for (const each of ['packages', 'clinical', 'package.json'])
    cpSync(each, join(root, each), { recursive: true, filter })
}
const filter = (path: string): boolean => path !== join('packages', 'workbench', 'built')
const packages = (root: string): void => symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
/** What the folder of the install has · its environment · exit code · what is printed. */
const INSTALLS: readonly (readonly [string, readonly ((root: string) => void)[], object, number, string])[] =
  [
    ['package.json alone, as in the Dockerfile', [packages], {}, 0, NOT_BUILT],
    ['no development packages', [sources], {}, 0, NOT_BUILT],
    ['a Node that cannot run TypeScript', [sources, packages], OLD_NODE, 0, NOT_BUILT],
    ['sources and packages', [sources, packages], {}, 0, BUILT],
  ]
for (const [place, [name, fill, env, code, line]] of INSTALLS.entries()) {
  test(`with ${name} it exits ${code} and prints: ${line.trim()}`, () => {
    const root = join(folder, String(place))
    mkdirSync(root)
    for (const each of fill) each(root)
    const { status, stdout } = prepareIn(root, env)
    assert.deepEqual([status, stdout], [code, line])
    assert.equal(existsSync(join(root, 'packages/workbench/built/page/index.html')), line === BUILT)
  })
}

test('a fault in the sources of the page fails the install', () => {
  const root = join(folder, 'faulty')
  mkdirSync(root)
  for (const each of [sources, packages]) each(root)
  writeFileSync(join(root, 'packages/workbench/src/main.tsx'), 'const = 1')
  const { status, stdout } = prepareIn(root, {})
  assert.deepEqual([status, stdout], [1, ''])
})

/** As npm runs it: by sh, with the programs of the packages first. */
function prepareIn(root: string, env: object): { readonly status: number | null; readonly stdout: string } {
  const path = [join(root, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(
    delimiter,
  )
  return spawnSync('sh', ['-c', scripts.prepare], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: path, ...env },
  })
}
