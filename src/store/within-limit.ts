/**
 * Limits on waiting. After a long turn the event loop sees its timers first, and only then the answers that came
 * meanwhile: so no answer is reported late before the loop has looked for it.
 */
import { StoreError } from './store.ts'

/** One for what lies ready to be read, one more for what is handed on from there. */
const LOOKS = 2

/** Acts once the time is over and the loop has looked. Until the time is over it can be cleared, like any timer. */
export function afterLimit(limitMs: number, act: () => void): NodeJS.Timeout {
  return setTimeout(lookAndAct, limitMs, LOOKS, act)
}

/** What the work comes to, or an error with these words where that is not known in time. */
export function withinLimit<T>(work: Promise<T>, limitMs: number, words: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = afterLimit(limitMs, () => reject(new StoreError(words)))
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function lookAndAct(looks: number, act: () => void): void {
  if (looks === 0) act()
  else setImmediate(lookAndAct, looks - 1, act)
}
