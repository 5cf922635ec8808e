/**
 * Properties with a random seed: `npm test` tries the same values each time, and would not find what others show. The seed of the run
 * also decides which files it takes, so that some runs have tried all of them.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FAILED_SEEDS, SEED } from './support/fast-check.ts'
import { Random } from './support/random.ts'

const TAKEN = 6
const files = globSync('{packages/*/test,test}/**/*.test.ts', { exclude: ['**/*.slow.test.ts'] })
  .filter((file) => readFileSync(file, 'utf8').includes('fc.assert('))
  .sort()
const random = new Random(SEED)

for (let taken = 0; taken < TAKEN; taken++) {
  const [file = ''] = files.splice(random.below(files.length), 1)
  test(`${file} with the seed ${SEED}`, () => {
    const env: NodeJS.ProcessEnv = { ...process.env, SEED: String(SEED) }
    delete env['NODE_TEST_CONTEXT']
    const { status, stdout } = spawnSync(process.execPath, [file], { encoding: 'utf8', env })
    assert.equal(status, 0, `SEED=${SEED} node --test ${file} (kept in ${FAILED_SEEDS})\n${stdout}`)
  })
}
