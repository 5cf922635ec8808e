/** The list at the end of a run holds the test files, slowest first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import slowestFiles from './slowest-files.ts'

const passed = (name: string, nesting: number, ms: number): TestEvent =>
  ({ type: 'test:pass', data: { name, nesting, details: { duration_ms: ms } } }) as TestEvent

async function* events(): AsyncGenerator<TestEvent> {
  yield* [
    passed('a test of the file', 1, 900),
    passed('test/quick.test.ts', 0, 100),
    passed('test/slow.test.ts', 0, 2_000),
    passed('/tmp/run/shared-1.test.mjs', 0, 200),
  ]
  await Promise.resolve()
}

test('a process that got no file is not listed, nor are the tests of a file', async () => {
  let said = ''
  for await (const text of slowestFiles(events())) said += text
  assert.equal(
    said,
    '\nslowest of 2 test files:\n    2.0 s  test/slow.test.ts\n    0.1 s  test/quick.test.ts\n',
  )
})
