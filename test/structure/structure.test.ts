/** The rules of ARCHITECTURE.md: packages are entered through their exports, dependencies point one way, folders are layers. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Import, type Structure, breaches, importedBy, readStructure } from './structure.ts'

const structure = readStructure()

test('every import keeps the rules, every dependency is used, and there is no circle', () => {
  assert.ok(structure.packages.length >= 10 && structure.imports.length > 4_000)
  assert.deepEqual(breaches(structure), [])
})

test('layers.json lists the folders that exist, and no other', () => {
  const rows = Object.entries(structure.layers)
  for (const [root, order] of rows) {
    const folders = globSync(`${root}/*/`).map((path) => path.slice(root.length + 1).replace(/\/$/, ''))
    assert.deepEqual(folders.sort(), order.toSorted(), root)
  }
})

test('the engine has at most ten exports', () => {
  const engine = structure.packages.find(({ name }) => name === 'patient-risk-engine')
  assert.ok(engine !== undefined && engine.doors.size > 0 && engine.doors.size <= 10)
})

/** Uses of the clock, of chance and of the process: these need no import. */
const IMPURE = /\b(Date|performance|process|crypto|fetch|set(Timeout|Interval|Immediate)|Math\.random)\b/
const NOT_CODE = /\/\*.*?\*\/|\/\/[^\n]*|'[^'\n]*'/gs

for (const folder of ['engine', 'statistics', 'monitor']) {
  test(`${folder} uses no clock, no randomness and no process`, () => {
    const found = globSync(`packages/${folder}/src/**/*.ts`).flatMap((file) =>
      readFileSync(file, 'utf8')
        .replaceAll(NOT_CODE, '')
        .split('\n')
        .filter((line) => IMPURE.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
    assert.deepEqual(found, [])
  })
}

/** Folders whose files work with expressions: what compiles definitions into them is in `plan`, `rules` and `score`. */
const COMPUTING = 'packages/engine/src/{read,judge,answer,explain,bytes,sql}/*.ts'
/** Types of definitions that these files pass on, or of which they read texts and percentiles. Domains are part of the plan. */
const PASSED_ON = ['ChosenBands', 'ModelDefinition', 'ProfileDefinition', 'ScaleDefinition']
const FROM_DEFINITIONS = /^import (type )?\{([^}]*)\} from '\.\.\/definition\/(?!domain\.ts)[^']*'/gm

test('what reads, judges, explains, answers and prints a record computes nothing from definitions', () => {
  const files = globSync(COMPUTING)
  assert.ok(files.length > 50)
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(FROM_DEFINITIONS)].flatMap(([, type, names = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !(type !== undefined && PASSED_ON.includes(name)))
        .map((name) => `${file}: ${name}`),
    ),
  )
  assert.deepEqual(found, [])
})

/** A planted import · the rule that must name it. */
const PLANTED: readonly (readonly [from: string, name: string, to: string | undefined, rule: RegExp])[] = [
  [
    'packages/server/src/http/a.ts',
    '../../../engine/src/scorer.ts',
    'packages/engine/src/scorer.ts',
    /entered through its exports/,
  ],
  [
    'packages/server/test/a.test.ts',
    '../../engine/src/scorer.ts',
    'packages/engine/src/scorer.ts',
    /entered through its exports/,
  ],
  [
    'test/a.test.ts',
    '../packages/engine/src/scorer.ts',
    'packages/engine/src/scorer.ts',
    /entered through its exports/,
  ],
  [
    'packages/server/src/http/a.ts',
    '../../../../test/support/until.ts',
    'test/support/until.ts',
    /nothing from outside by its path/,
  ],
  ['packages/server/src/http/a.ts', 'patient-risk-engine/score/model.ts', undefined, /does not export it/],
  ['packages/server/src/http/a.ts', 'eslint', undefined, /does not list it as a dependency/],
  ['packages/server/src/http/a.ts', '@patient-risk/data/bulk', undefined, /does not list it as a dependency/],
  ['packages/engine/src/read/a.ts', 'node:fs', undefined, /runs without Node/],
  ['packages/statistics/src/fit/a.ts', 'fs', undefined, /runs without Node/],
  [
    'packages/engine/src/read/a.ts',
    '../explain/range.ts',
    'packages/engine/src/explain/range.ts',
    /explain lies above read/,
  ],
  [
    'packages/data/src/learn/fit/a.ts',
    '../tasks/b.ts',
    'packages/data/src/learn/tasks/b.ts',
    /tasks lies above fit/,
  ],
  [
    'packages/engine/src/new/a.ts',
    '../read/body.ts',
    'packages/engine/src/read/body.ts',
    /does not list packages\/engine\/src\/new/,
  ],
  ['packages/engine/src/read/a.ts', './utils.ts', 'packages/engine/src/read/utils.ts', /beside its one user/],
  ['packages/engine/src/read/body.ts', './body.ts', 'packages/engine/src/read/body.ts', /^$/],
]
for (const [from, name, to, rule] of PLANTED) {
  const isPermitted = rule.source === '^$'
  test(`${from} ${isPermitted ? 'may' : 'may not'} import ${name}`, () => {
    const planted: Import = to === undefined ? { from, name } : { from, name, to }
    const found = breaches({ ...structure, imports: [...structure.imports, planted] })
    assert.equal(found.length, isPermitted ? 0 : 1, found.join('\n'))
    if (!isPermitted) assert.match(found[0] ?? '', rule)
  })
}

test('circles of files and of packages, and dependencies that nothing imports, are found', () => {
  const arrow = (from: string, to: string): Import => ({ from, name: './x.ts', to })
  const files = [
    arrow('packages/engine/src/read/a.ts', 'packages/engine/src/read/b.ts'),
    arrow('packages/engine/src/read/b.ts', 'packages/engine/src/read/a.ts'),
  ]
  assert.match(
    breaches({ ...structure, imports: [...structure.imports, ...files] }).join('\n'),
    /^a circle of files: .*a\.ts → .*b\.ts → .*a\.ts$/,
  )
  const back: Import = {
    from: 'packages/runtime/src/a.ts',
    name: 'patient-risk-engine',
    to: 'packages/engine/src/index.ts',
  }
  const forth: Import = {
    from: 'packages/engine/src/a.ts',
    name: '@patient-risk/runtime',
    to: 'packages/runtime/src/index.ts',
  }
  assert.match(
    breaches({ ...structure, imports: [...structure.imports, back, forth] }).join('\n'),
    /a circle of packages: /,
  )
  const [first, ...others] = structure.packages
  assert.ok(first)
  const listed: Structure = {
    ...structure,
    packages: [{ ...first, dependencies: new Set([...first.dependencies, 'left-pad']) }, ...others],
  }
  assert.match(breaches(listed).join('\n'), /lists left-pad, and nothing imports it/)
})

/** A text · the names that it imports. */
const TEXTS: readonly (readonly [string, readonly string[]])[] = [
  ["import a from 'x'", ['x']],
  ["import type {\n  B,\n} from './b.ts'", ['./b.ts']],
  ["export { a, type B } from './c.ts'", ['./c.ts']],
  ["const d = await import('./d.ts')", ['./d.ts']],
  ["import './e.ts'", ['./e.ts']],
  ["type F = typeof import('f')", ['f']],
  ["// import a from 'x'", []],
  ["const text = `import a from 'x'`", []],
]
for (const [text, names] of TEXTS) {
  test(`${JSON.stringify(text)} imports ${names.join() || 'nothing'}`, () => {
    assert.deepEqual(importedBy(text), names)
  })
}

test('the table of ARCHITECTURE.md says who uses whom as the package.json files do', () => {
  const page = readFileSync('ARCHITECTURE.md', 'utf8')
  const [, table = ''] = /^## Doors and layers\n(.*?)^The package\.json/ms.exec(page) ?? []
  const shown = [...table.matchAll(/^\| `([a-z-]+)` +\| (.*?) *\|$/gm)].map(([, name = '', uses = '']) => [
    name,
    uses,
  ])
  const names = new Map(structure.packages.map(({ folder, name }) => [name, folder.replace('packages/', '')]))
  const stated = structure.packages
    .filter(({ folder }) => folder.startsWith('packages/'))
    .map(({ folder, dependencies }) => {
      const own = [...dependencies].flatMap((name) => names.get(name) ?? []).sort()
      return [folder.replace('packages/', ''), own.join(', ') || 'nothing']
    })
  const all = ['catalog', 'data', 'engine', 'monitor', 'runtime', 'server', 'statistics'].join(', ')
  const expected = stated.map(([name, uses]) => [name, uses === all ? 'all of them' : uses])
  assert.deepEqual(shown.sort(), expected.sort())
})

test('the paths that ARCHITECTURE.md and CONTRIBUTING.md name are there', () => {
  for (const file of ['ARCHITECTURE.md', 'CONTRIBUTING.md']) {
    const page = readFileSync(file, 'utf8')
    // The built page is not in a fresh checkout.
    const named = [
      ...page.matchAll(/`((?:packages|test|bench|scripts|docs|clinical)\/(?!workbench\/built)[\w./-]+)`/g),
    ]
    assert.ok(named.length > 5, file)
    for (const [, path = ''] of named) assert.ok(existsSync(path), `${file}: ${path}`)
  }
})
