/** A doubt that a file leaves about a field is a notice in every row that it is about, also in rows before the value that raised it. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { test } from 'node:test'
import { EXPECTED, RUN, at, doubtsIn, records, right, write } from './doubted-files.ts'
import { scoreFile } from './score-file.ts'

for (const from of ['ndjson', 'json'] as const) {
  test(`${from}: every M has the notice, and nothing of a right file has`, async () => {
    const output = at(`${from}.ndjson`)
    await scoreFile({ ...RUN, input: await write(from, records), from, output })
    assert.deepEqual(doubtsIn(output), EXPECTED)
    await scoreFile({ ...RUN, input: await write(from, right), from, output })
    assert.ok(doubtsIn(output).every((fields) => !fields.includes('sex')))
  })
}

test('what comes by pipe has it in its first row', async () => {
  const input = at('pipe')
  execFileSync('mkfifo', [input])
  const writer = spawn('sh', ['-c', `cat '${await write('ndjson', records)}' > '${input}'`])
  const output = at('piped.ndjson')
  await scoreFile({ ...RUN, input, from: 'ndjson', output })
  writer.kill()
  assert.deepEqual(doubtsIn(output), EXPECTED)
})
