/** All tests of fetching against a real FHIR server, in one process, because HAPI takes a minute to start. */
import { test } from 'node:test'
import './self.ts'
import './score.ts'
import './hook.ts'
import './tokens.ts'
import './faults.ts'
import { startError } from './harness.ts'

// Where the service does not start, its message is there once, and not for every test.
test('the service starts', () => {
  if (startError !== undefined) throw startError as Error
})
