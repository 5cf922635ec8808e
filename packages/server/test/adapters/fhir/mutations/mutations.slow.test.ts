/** Every kind of change on 50 true Bundles in all models, and a planted defect for each class of rules, which they must catch. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { KINDS } from './kinds.ts'
import { MODELS } from './numbers.ts'
import { PLANTS } from './plants.ts'
import { KNOWN, sweep } from './trials.ts'

const bundles = [...KNOWN.keys()]

test('every kind of change on every Bundle in every model', (context) => {
  const { faults, counts } = sweep(bundles)
  assert.deepEqual(faults, [])
  assert.equal(counts.size, KINDS.length)
  const total = [...counts.values()].reduce((sum, { stayed, missing }) => sum + stayed + missing, 0)
  assert.equal(total, KINDS.length * bundles.length * MODELS.length)
  const stayed = [...counts.values()].reduce((sum, each) => sum + each.stayed, 0)
  context.diagnostic(`${total} numbers: ${stayed} stayed, ${total - stayed} missing with a reason`)
})

const planted = fileURLToPath(new URL('planted.ts', import.meta.url))
const trials = fileURLToPath(new URL('planted-trials.ts', import.meta.url))
for (const [name, { why }] of Object.entries(PLANTS))
  test(`a planted defect is caught: ${why}`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', planted, trials], {
      env: { ...process.env, PLANT: name },
      encoding: 'utf8',
    })
    assert.equal(status, 3, `${stdout}\n${stderr}`)
    assert.match(stdout, /^Bundle \d+, /)
  })
