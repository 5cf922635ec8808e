/** `audit verify` goes on where the last run ended: what it remembers, and how it is asked. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { openStore } from '../../../src/store/open.ts'
import { runHere } from '../../../../../test/support/run-command.ts'
import { entry } from '../memory-store.ts'
import { UNHURRIED } from '../../../../../test/support/unhurried.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-verify-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'verified.json')
const env = { DATA_DIR: folder }

test('the verified head is remembered; the next run begins there and needs it in the chain', async () => {
  const append = async (from: number, to: number): Promise<void> => {
    const { store } = await openStore(folder, undefined, undefined, UNHURRIED)
    for (let place = from; place <= to; place++) await store.appendAudit([entry(place)])
    await store.close()
  }
  await append(1, 4)
  const first = await runHere(['audit', 'verify', '--remember', file], env)
  assert.match(first.out, /^Intact: 4 rows\. Anchor: 4:/)
  const kept = readFileSync(file, 'utf8')
  assert.deepEqual(Object.keys(JSON.parse(kept) as object), ['seq', 'hash', 'at', 'start'])
  await append(5, 9)
  const second = await runHere(['audit', 'verify', '--remember', file], env)
  assert.match(
    second.out,
    /^Not verified now: the rows before row 4, which were verified at 2\S+Z\.\nIntact: [6-9] rows\. Anchor: 9:/,
  )
  const third = await runHere(['audit', 'verify', '--from', '9'], env)
  assert.match(third.out, /^Not verified now: the rows before row 9\.\nIntact: \d rows\. Anchor: 9:/)
  writeFileSync(file, kept.replace(/"hash":"."?/, '"hash":"x'))
  const changed = await runHere(['audit', 'verify', '--remember', file], env)
  assert.deepEqual([changed.code, changed.err.split('\n')[0]], [1, 'row 4 differs from the anchor'])
  assert.match(readFileSync(file, 'utf8'), /"seq":4,"hash":"x/, 'a failed run remembers nothing')
  writeFileSync(file, kept)
  const tables = new DatabaseSync(join(folder, 'patient-risk.sqlite'))
  tables.exec('DELETE FROM audit WHERE last_seq <= 4')
  tables.close()
  const missing = await runHere(['audit', 'verify', '--remember', file], env)
  assert.equal(missing.code, 1)
  assert.match(missing.err, /row 4 of the anchor is missing/)
})

const MISUSES = [
  ['--from', '0'],
  ['--from', 'x'],
  ['--from', '3', '--remember', file],
  ['--file', file, '--from', '3'],
  ['--remember', join(import.meta.dirname, 'remembered-verify.test.ts')],
]
for (const misuse of MISUSES) {
  test(`wrong usage: audit verify ${misuse[0]} ${misuse[2] ?? ''}`, async () => {
    assert.equal((await runHere(['audit', 'verify', ...misuse], env)).code, 2)
  })
}
