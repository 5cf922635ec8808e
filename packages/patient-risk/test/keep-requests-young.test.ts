/** The flag of V8 that keeps requests young. V8 only prints a line where it no longer knows a flag. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8'
import { keepRequestsYoung } from '../src/cli/keep-requests-young.ts'

test('V8 knows the flag, and it is not its default', () => {
  setFlagsFromString('--allocation-site-pretenuring')
  const before = cachedDataVersionTag()
  keepRequestsYoung()
  assert.notEqual(cachedDataVersionTag(), before)
})
