/** The size of the HTTP layer as a reader meets it: the files that a scoring request runs through, and the folders of src/http. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDeployments } from '../../src/catalog/deployment.ts'
import { DEFAULT_FILE } from '../../src/config/config-defaults.ts'
import { cleanRecords } from '../records.ts'
import { serve, testCatalog } from '../serve.ts'
import { filesEnteredBy } from './entered-files.ts'

const ROOT = 'src/http'
/** Eight of them belong to the reference, which judges the records that are sampled for drift. */
const MOST_FILES = 35
const MOST_FOLDERS = 10
const MOST_LEVELS = 6
/** On a busy machine a call of the store may fail and be made again, which enters this file. */
const ERRORS = 'src/errors.ts'
/** Longer than a key is served from memory, and than rows wait for their place in the chain. */
const UPKEEP_MS = 700

test(`a scoring request runs through at most ${MOST_FILES} files besides those that read and score clean records`, async (t) => {
  const records = cleanRecords(20)
  const { deployments } = makeDeployments(testCatalog(), DEFAULT_FILE.deployments)
  const score = (): void => void deployments[0]?.scorer.score(Buffer.from(JSON.stringify(records)), 20260315)
  score()
  const reading = await filesEnteredBy(score)
  const served = await serve({ isOverSocket: true })
  t.after(() => served.close())
  const post = async (): Promise<void> => {
    // With what happens to some requests only: keys are looked up again, records sampled, rows chained.
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 10; count++) assert.equal((await served.post(records)).status, 200)
      await sleep(UPKEEP_MS)
    }
  }
  await post()
  const measure = async (): Promise<readonly string[]> =>
    [...(await filesEnteredBy(post))].filter((file) => !reading.has(file) && file !== ERRORS).sort()
  let path = await measure()
  // What happens on a busy machine only is left out. A longer path is so each time.
  for (let more = 0; more < 2 && path.length > MOST_FILES; more++) path = await measure()
  t.diagnostic(`${path.length} files from the socket to the bytes:\n${path.join('\n')}`)
  t.diagnostic(`${reading.size} files of the byte reader:\n${[...reading].sort().join('\n')}`)
  // The first and the last of them, so that the count is not of something else.
  for (const file of [`${ROOT}/connection/connections.ts`, 'src/store/sqlite/database.ts'])
    assert.ok(path.includes(file), file)
  assert.ok(path.length <= MOST_FILES, `${path.length} files`)
})

function importsOf(file: string): readonly string[] {
  const names = [...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)]
  return names.map(([, name = '']) => join(dirname(file), name)).filter((each) => each.startsWith(`${ROOT}/`))
}

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
