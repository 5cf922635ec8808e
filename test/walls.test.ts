/** Import rules: walls.json says which folder may import which; nothing crosses a wall, and no permission is left over. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { ARCHITECTURE_PAGE, type Walls, architecturePage, readWalls } from '../scripts/walls.ts'

const CRUISER = join(process.cwd(), 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
/** What is checked: the service, and the folders beside it that have walls of their own. */
const CHECKED = ['src', 'workbench/src', 'clients/typescript/src']
const BESIDE = CHECKED.map((folder) => roomOf(folder)).filter((room) => room !== 'src')
const COPIED = [
  'src',
  'workbench',
  'clients/typescript',
  'test/until.ts',
  '.dependency-cruiser.cjs',
  'walls.json',
  'tsconfig.json',
  'package.json',
]
const WORDS = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...CHECKED]

interface Cruise {
  readonly modules: readonly Module[]
  readonly summary: { readonly violations: readonly Violation[] }
}

interface Module {
  readonly source: string
  readonly dependencies: readonly { readonly resolved: string }[]
}

interface Violation {
  readonly from: string
  readonly to: string
  readonly rule: { readonly name: string }
}

function cruise(folder: string): Cruise {
  const { stdout, stderr } = spawnSync(process.execPath, [CRUISER, ...WORDS], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  assert.equal(stderr, '')
  return JSON.parse(stdout) as Cruise
}

const breaches = ({ summary }: Cruise): readonly string[] =>
  summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)

/** The folder or file of src, or the folder beside src, that a path belongs to. */
function roomOf(path: string): string {
  return /^(?:src\/)?([^/]+?)(?:\.ts)?(?:\/|$)/.exec(path)?.[1] ?? path
}

/** Permissions that no import uses, as `folder → permission`. */
function unusedPermissions(walls: Walls, { modules }: Cruise): readonly string[] {
  const used = new Set(
    modules.flatMap(({ source, dependencies }) =>
      dependencies.flatMap(({ resolved }) =>
        [resolved, roomOf(resolved)].map((to) => `${roomOf(source)} → ${to}`),
      ),
    ),
  )
  return Object.entries(walls)
    .flatMap(([room, allowed]) => allowed.map((each) => `${room} → ${each}`))
    .filter((permission) => !used.has(permission))
}

/** Folders and files that are not in the list, and names in the list that have none. */
function unlistedRooms(walls: Walls): readonly string[] {
  const present = [...readdirSync('src').map(roomOf), ...BESIDE]
  return [
    ...present.filter((room) => walls[room] === undefined),
    ...Object.keys(walls).filter((room) => !present.includes(room)),
  ]
}

/** Permissions to import a folder that is listed later. */
function upwardPermissions(walls: Walls): readonly string[] {
  const rooms = Object.keys(walls)
  return Object.entries(walls).flatMap(([room, allowed]) =>
    allowed
      .filter((each) => each.startsWith('src/') || !each.includes('/'))
      .filter((each) => rooms.indexOf(roomOf(each)) >= rooms.indexOf(room))
      .map((each) => `${room} → ${each}`),
  )
}

/** Uses of the clock, of chance and of the process: these need no import. */
const IMPURE = /\b(Date|performance|process|crypto|fetch|set(Timeout|Interval|Immediate)|Math\.random)\b/
const NOT_CODE = /\/\*.*?\*\/|\/\/[^\n]*|'[^'\n]*'/gs
const impureLines = (text: string): readonly string[] =>
  text
    .replaceAll(NOT_CODE, '')
    .split('\n')
    .filter((line) => IMPURE.test(line))

test('no folder imports what it may not, there is no cycle, and every permission is used', () => {
  const result = cruise('.')
  const found = { breaches: breaches(result), unused: unusedPermissions(readWalls(), result) }
  assert.deepEqual(found, { breaches: [], unused: [] })
})

test('walls.json lists every folder and file of src once, each after what it may import', () => {
  assert.deepEqual(unlistedRooms(readWalls()), [])
  assert.deepEqual(upwardPermissions(readWalls()), [])
})

test('the table of ARCHITECTURE.md is that of walls.json; if not: node scripts/walls.ts', async () => {
  const page = readFileSync(ARCHITECTURE_PAGE, 'utf8')
  assert.equal(page, await architecturePage(page, readWalls()))
})

test('the tree of ARCHITECTURE.md shows every folder and file of src, and the paths of the page are there', () => {
  const page = readFileSync(ARCHITECTURE_PAGE, 'utf8')
  const [, tree = ''] = /^src\/\n(.*?)^\S/ms.exec(page) ?? []
  const lines = [...tree.matchAll(/^ {2}(\S+(?: \S+\/)*) {2,}(.*(?:\n {4}.*)*)/gm)]
  const shown = lines.flatMap(([, names = '']) => names.split(' ').map(roomOf))
  assert.deepEqual(
    shown.sort(),
    Object.keys(readWalls())
      .filter((room) => !BESIDE.includes(room))
      .sort(),
  )
  const inner = lines.flatMap(([, name = '', text = '']) =>
    [...text.matchAll(/\b([a-z-]+)\/(?=\W)/g)].map(([, folder = '']) => `src/${name}${folder}`),
  )
  // The built page is not in a fresh checkout.
  const named = [...page.matchAll(/`((?!workbench\/built)[\w-]+\/[\w./-]*)`/g)].map(([, path = '']) => path)
  const places = (path: string): readonly string[] => [path, `src/${path}`]
  assert.ok(inner.length > 10 && named.length > 20)
  assert.deepEqual(
    [...inner, ...named].filter((path) => !places(path).some((each) => existsSync(each))),
    [],
  )
})

test('engine and definitions use no clock, no randomness and no process', () => {
  const files = globSync('src/{engine,definition}/**/*.ts')
  assert.deepEqual(
    files.flatMap((file) => impureLines(readFileSync(file, 'utf8')).map((line) => `${file}: ${line}`)),
    [],
  )
})

/** An import that breaks a rule: the importing file, what it imports, and the breach. A cycle is reported once. */
const BREACHES = [
  [
    'src/adapters/planted.ts',
    '../http/planted.ts',
    'wall-of-adapters: src/adapters/planted.ts → src/http/planted.ts',
  ],
  ['src/http/planted.ts', '../../test/until.ts', 'wall-of-http: src/http/planted.ts → test/until.ts'],
  ['workbench/src/planted.ts', '../build.ts', 'no-cycle: workbench/build.ts → workbench/src/planted.ts'],
  ['workbench/build.ts', './src/planted.ts', 'no-cycle: workbench/build.ts → workbench/src/planted.ts'],
  [
    'clients/typescript/src/planted.ts',
    'node:fs',
    'clients-stand-alone: clients/typescript/src/planted.ts → fs',
  ],
  ['src/engine/planted.ts', 'node:fs', 'engine-is-pure: src/engine/planted.ts → fs'],
  ['src/engine/planted.ts', './utils.ts', 'no-drawer: src/engine/planted.ts → src/engine/utils.ts'],
  ['src/engine/utils.ts', './planted.ts', 'no-cycle: src/engine/planted.ts → src/engine/utils.ts'],
  ['src/store/planted.ts', './missing.ts', 'nothing-unresolved: src/store/planted.ts → ./missing.ts'],
  ['src/store/planted.ts', 'eslint', 'no-development-package-in-the-service: src/store/planted.ts → '],
] as const

test('a breach of each rule and of each wall is found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'walls-'))
  try {
    for (const name of COPIED) cpSync(name, join(folder, name), { recursive: true })
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    const add = (file: string, imported: string): void =>
      writeFileSync(join(folder, file), `\nimport '${imported}'\n`, { flag: 'a' })
    const walls = readWalls()
    const broken = Object.entries(walls).map(([room, allowed]) => {
      const other = Object.keys(walls).find((each) => each !== room && !allowed.includes(each)) ?? ''
      const [from, to] = [plantedFile(room), plantedFile(other)]
      add(from, `./${relative(dirname(from), to)}`)
      return `wall-of-${room}: ${from} → ${to}`
    })
    for (const [file, imported] of BREACHES) add(file, imported)
    const found = breaches(cruise(folder))
    for (const each of [...broken, ...BREACHES.map(([, , breach]) => breach)]) {
      assert.ok(
        found.some((breach) => breach.startsWith(each)),
        `${each} is not found`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

function plantedFile(room: string): string {
  if (existsSync(`src/${room}.ts`)) return `src/${room}.ts`
  return `${CHECKED.find((folder) => roomOf(folder) === room) ?? `src/${room}`}/planted.ts`
}

test('what is wrong in the list itself is found', () => {
  const walls = { ...readWalls(), errors: ['clock', 'src/http/service.ts'] }
  const others = Object.entries(walls).map(([room, allowed]) => [room === 'clock' ? 'cellar' : room, allowed])
  const modules = [{ source: 'src/errors.ts', dependencies: [{ resolved: 'src/clock.ts' }] }]
  const unused = unusedPermissions(walls, { modules, summary: { violations: [] } })
  assert.ok(!unused.includes('errors → clock'))
  assert.ok(unused.includes('errors → src/http/service.ts'))
  assert.deepEqual(unlistedRooms(Object.fromEntries(others) as Walls), ['clock', 'cellar'])
  assert.deepEqual(upwardPermissions(walls), ['errors → clock', 'errors → src/http/service.ts'])
  assert.deepEqual(impureLines("// Date\nconst a = 'Date'\nconst b = Date.now() + Math.random()\n"), [
    'const b = Date.now() + Math.random()',
  ])
})
