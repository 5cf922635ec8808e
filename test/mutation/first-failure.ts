/** A reporter that ends the process at the first test that fails: one is enough to kill a mutant. */
import type { TestEvent } from 'node:test/reporters'

export async function* firstFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:fail' || event.data.todo !== undefined) continue
    yield `${event.data.name}\n`
    process.exit(1)
  }
}

// eslint-disable-next-line no-restricted-exports -- Node takes a reporter from here.
export default firstFailure
