/** All tests of fetching against a real FHIR server, in one process, because HAPI takes a minute to start. */
import { test } from 'node:test'
import './self.ts'
import { theService } from './harness.ts'

// Where the service does not start, its message is there once, and not for every test.
const start = await theService().then(
  () => undefined,
  (error: unknown) => error,
)
test('the service starts', () => {
  if (start !== undefined) throw start as Error
})
if (start === undefined) {
  await import('./score.ts')
  await import('./hook.ts')
  await import('./tokens.ts')
  await import('./faults.ts')
}
