/** A doubt that a file leaves about a field is a notice in every row that it is about, also in rows before the value that raised it. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { test } from 'node:test'
import { EXPECTED, RUN, at, doubtsIn, records, testFormats, write } from './doubted-files.ts'
import { scoreFile } from './score-file.ts'

testFormats(['ndjson', 'json'])

test('what comes by pipe has it in its first row', async () => {
  const input = at('pipe')
  execFileSync('mkfifo', [input])
  const writer = spawn('sh', ['-c', `cat '${await write('ndjson', records)}' > '${input}'`])
  const output = at('piped.ndjson')
  await scoreFile({ ...RUN, input, from: 'ndjson', output })
  writer.kill()
  assert.deepEqual(doubtsIn(output), EXPECTED)
})
