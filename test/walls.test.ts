/** Import rules and no cycle: ARCHITECTURE.md says which folder may import which, and this test enforces it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const CRUISER = join(process.cwd(), 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
const WORDS = ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src', 'workbench/src']

function cruise(folder: string): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CRUISER, ...WORDS], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

test('no folder imports what it may not, and there is no cycle', () => {
  const { status, output } = cruise('.')
  assert.equal(status, 0, output)
})

test('a breach of each rule is found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'walls-'))
  try {
    for (const name of ['src', 'workbench/src', '.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
      cpSync(name, join(folder, name), { recursive: true })
    }
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    const add = (file: string, line: string): void => writeFileSync(join(folder, file), line, { flag: 'a' })
    add('src/engine/utils.ts', 'export const nothing = 0\n')
    add('src/engine/plan.ts', "import '../store/store.ts'\n")
    add('src/http/service.ts', "import '../cli/main.ts'\n")
    add('src/store/store.ts', "import '../engine/assess.ts'\n")
    add('src/engine/plan.ts', "import 'node:fs'\nimport './assess.ts'\nimport './utils.ts'\n")
    add('src/definition/fault.ts', "import 'eslint'\n")
    add('workbench/src/api.ts', "import '../../src/errors.ts'\n")
    add('workbench/src/state.ts', "import type {} from './session.ts'\n")
    const { status, output } = cruise(folder)
    assert.notEqual(status, 0)
    for (const rule of [
      'wall-of-engine',
      'wall-of-http',
      'wall-of-store',
      'engine-is-pure',
      'no-cycle',
      'no-drawer',
      'no-development-package-in-the-service',
      'workbench-speaks-http-only',
      'no-cycle: workbench/',
    ]) {
      assert.match(output, new RegExp(rule), `${rule} lets a breach through`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
