/** The size of the HTTP layer as a reader meets it: the files that a scoring request runs through, and the folders of `http`. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanRecords } from '../../../../test/support/records.ts'
import { serve } from '../../../../test/support/serve.ts'
import { filesEnteredBy } from './entered-files.ts'

const ROOT = 'packages/server/src/http'
const MOST_FOLDERS = 10
const MOST_LEVELS = 6
/** Longer than a key is served from memory, and than rows wait for their place in the chain. */
const UPKEEP_MS = 700

/** From the socket to the bytes of the answer, each in a part of the code of its own. */
const STATIONS = [
  `${ROOT}/connection/connections.ts`,
  `${ROOT}/request/authenticate.ts`,
  `${ROOT}/request/read-body.ts`,
  'packages/engine/src/bytes/read-records.ts',
  'packages/engine/src/answer/answer-builder.ts',
  'packages/server/src/store/sqlite/database.ts',
]

test('the files that a scoring request runs through are counted', async (t) => {
  const records = cleanRecords(20)
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
  const path = [...(await filesEnteredBy(post))].sort()
  // Printed and not limited: a limit at today's count would make people put two ideas into one file.
  t.diagnostic(`${path.length} files from the socket to the bytes:\n${path.join('\n')}`)
  for (const file of STATIONS) assert.ok(path.includes(file), file)
})

function importsOf(file: string): readonly string[] {
  const names = [...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)]
  return names.map(([, name = '']) => join(dirname(file), name)).filter((each) => each.startsWith(`${ROOT}/`))
}

test(`packages/server/src/http has at most ${MOST_FOLDERS} folders, whose imports form at most ${MOST_LEVELS} levels`, () => {
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
