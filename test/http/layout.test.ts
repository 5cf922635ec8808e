/**
 * The size of the HTTP layer as a reader meets it. Counted are the files of src/http that the stages of a scoring request can
 * reach through imports, types included, from the hooks and from the scoring route.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const ROOT = 'src/http'
const MOST_FILES = 25
const MOST_FOLDERS = 10
const MOST_LEVELS = 6

function importsOf(file: string): readonly string[] {
  const names = [...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)]
  return names.map(([, name = '']) => join(dirname(file), name)).filter((each) => each.startsWith(`${ROOT}/`))
}

function reachedFrom(starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set(starts)
  for (const file of reached) for (const next of importsOf(file)) reached.add(next)
  return reached
}

test(`a scoring request enters at most ${MOST_FILES} files of src/http`, () => {
  const files = reachedFrom([`${ROOT}/hooks.ts`, `${ROOT}/routes/scoring.ts`])
  assert.ok(files.has(`${ROOT}/audit/audit-recorder.ts`))
  assert.ok(files.size <= MOST_FILES, `${files.size}: ${[...files].sort().join(' ')}`)
})

test(`src/http has at most ${MOST_FOLDERS} folders, whose imports form at most ${MOST_LEVELS} levels`, () => {
  const files = globSync(`${ROOT}/**/*.ts`)
  const folders = new Map<string, Set<string>>()
  for (const file of files) {
    const folder = dirname(file)
    const uses = folders.get(folder) ?? new Set()
    folders.set(folder, uses)
    // The files beside the folders join them, so they are on the last level.
    for (const used of importsOf(file).map(dirname)) if (used !== folder && used !== ROOT) uses.add(used)
  }
  assert.ok(folders.size <= MOST_FOLDERS, [...folders.keys()].join(' '))
  const levelOf = (folder: string, above: readonly string[] = []): number => {
    assert.ok(!above.includes(folder), `a circle of folders: ${[...above, folder].join(' → ')}`)
    const used = [...(folders.get(folder) ?? [])]
    return 1 + Math.max(0, ...used.map((each) => levelOf(each, [...above, folder])))
  }
  assert.ok(levelOf(ROOT) <= MOST_LEVELS, String(levelOf(ROOT)))
})
