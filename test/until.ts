/** Waits in tests for a condition, never for a fixed time. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface UntilOptions {
  /** How long to wait before the test fails; long enough for a busy machine. */
  readonly timeoutMs?: number
  /** What is waited for, for the message of a failure. */
  readonly what?: string
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
    if (performance.now() >= latest) throw new Error(`${what} did not come true within ${timeoutMs} ms`)
    await sleep(pauseMs)
  }
}
