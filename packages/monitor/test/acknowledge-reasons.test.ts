/** The reasons for which an alarm is acknowledged are those that the OpenAPI document states. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ACKNOWLEDGE_REASONS } from '@patient-risk/monitor'

test('the document has each reason', () => {
  const text = readFileSync('api/openapi.json', 'utf8')
  assert.ok(text.includes(`"enum": [${ACKNOWLEDGE_REASONS.map((each) => `"${each}"`).join(', ')}]`))
})
