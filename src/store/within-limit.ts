/**
 * Limits on waiting. After a long turn the event loop sees its timers first, and only then the answers that came
 * meanwhile: so no answer is reported late before the loop has looked for it.
 */
import { StoreError } from './store.ts'

/** One turn reads the answers that have arrived, a second one handles what they trigger. */
const LOOKS = 2

/** Acts once the time is over and the loop has looked. Until the time is over it can be cleared, like any timer. */
export function afterLimit(limitMs: number, act: () => void): NodeJS.Timeout {
  return setTimeout(lookAndAct, limitMs, LOOKS, act)
}

/** The result of the work, or a StoreError with this message if the work takes too long. */
export function withinLimit<T>(work: Promise<T>, limitMs: number, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = afterLimit(limitMs, () => reject(new StoreError(message)))
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function lookAndAct(looks: number, act: () => void): void {
  if (looks === 0) act()
  else setImmediate(lookAndAct, looks - 1, act)
}
