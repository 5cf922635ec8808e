/** Waits in tests for a condition, never for a fixed time. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface UntilOptions {
  /** How long to wait before the test fails; long enough for a busy machine. */
  readonly timeoutMs?: number
  /** What is waited for, for the message of a failure. */
  readonly what?: string
}

class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

const TIMEOUT_MS = 60_000
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50

/** Polls until the condition gives something truthy, and returns that. Throws when it does not in time. */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = TIMEOUT_MS, what = 'the condition' }: UntilOptions = {},
): Promise<NonNullable<T>> {
  const latest = performance.now() + timeoutMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const value = await condition()
    // Zero and an empty string are falsy too: a condition is a question, not a value.
    if (value !== null && value !== undefined && Boolean(value)) return value
    if (performance.now() >= latest) throw new TimedOut(`${what} did not come true within ${timeoutMs} ms`)
    await sleep(pauseMs)
  }
}

/** Whether a condition comes true in time, for a test that must go on where it does not. */
export async function happensWithin(
  timeoutMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<boolean> {
  try {
    return await until(condition, { timeoutMs })
  } catch (error) {
    if (error instanceof TimedOut) return false
    throw error
  }
}

/** Repeats a step until it does not throw, and returns its result. Throws, with the last error as cause, when it does not in time. */
export async function untilSucceeds<T>(step: () => Promise<T>, options: UntilOptions = {}): Promise<T> {
  let cause: unknown
  const attempt = async (): Promise<{ readonly result: T } | undefined> => {
    try {
      return { result: await step() }
    } catch (error) {
      cause = error
      return undefined
    }
  }
  try {
    return (await until(attempt, options)).result
  } catch (error) {
    throw new TimedOut((error as Error).message, { cause })
  }
}
