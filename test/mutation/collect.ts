/**
 * Replaces `node:test` while mutants are tested. `node:test` runs a file once in a process; this collects the tests of a file, and the
 * runner runs them.
 */
import type { MockTracker } from 'node:test'

type Run = (context: { readonly diagnostic: () => void; readonly mock: MockTracker }) => unknown

interface Collected {
  readonly before: Run[]
  readonly beforeEach: Run[]
  readonly tests: Run[]
  readonly after: Run[]
}

/** Thrown by a test that needs more than the scorers and the store. */
export class Skip extends Error {}

const nothing = (): Collected => ({ before: [], beforeEach: [], tests: [], after: [] })
let current = nothing()

/** Tests that are defined from here on belong to the returned list. */
export function collect(): Collected {
  current = nothing()
  return current
}

/** The tracker of `node:test` itself, which an import would not get here. */
export const { mock } = process.getBuiltinModule('node:test')

/** Options may stand before the function; none of them matters here. */
export const test = (...args: readonly [string, ...(readonly object[]), Run]): void =>
  void current.tests.push(args.at(-1) as Run)
export const before = (run: Run): void => void current.before.push(run)
export const beforeEach = (run: Run): void => void current.beforeEach.push(run)
export const after = (run: Run): void => void current.after.push(run)
/** Tests of PostgreSQL are left out: they take too long to run again for each mutant. */
export const describe = (name: string, define: () => void): void => {
  if (name !== 'PostgreSQL') define()
}

/** Runs what was collected up to the first failure, which is returned. */
export async function runCollected({ before, beforeEach, tests, after }: Collected): Promise<unknown> {
  const context = { diagnostic: () => undefined, mock }
  try {
    for (const run of before) await run(context)
    for (const run of tests) {
      for (const prepare of beforeEach) await prepare(context)
      try {
        await run(context)
      } catch (error) {
        if (!(error instanceof Skip)) throw error
      } finally {
        mock.reset()
      }
    }
    return undefined
  } catch (error) {
    return error ?? new Error('failed without a reason')
  } finally {
    for (const run of after)
      await Promise.resolve(context)
        .then(run)
        .catch(() => undefined)
  }
}

// eslint-disable-next-line no-restricted-exports -- As `node:test`, which tests import by its default.
export default test
