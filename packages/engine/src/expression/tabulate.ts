/**
 * Functions of the runtime as tables. Engines differ in the last digit of `exp` and `log`, so another engine does not compute them:
 * it looks up what this one gives.
 */
import type { Curve } from './node.ts'

/** A function as the numbers at which its answer changes. */
export interface Steps {
  /** The answer below the first change. */
  readonly first: number
  /** Where the answer changes: the smallest number with the new answer, ascending. */
  readonly at: readonly number[]
  readonly answers: readonly number[]
}

/** Finding the steps takes a tenth of a second, as long as scoring a hundred thousand rows, so they are kept for further tables. */
const known = new Map<string, Steps>()

export function stepsOf({ at, over, key }: Curve): Steps {
  const found = known.get(key) ?? findSteps(at, over)
  known.set(key, found)
  return found
}

function findSteps(at: Curve['at'], over: Curve['over']): Steps {
  if (over === 'everywhere') return stepsOfCurve(at)
  if (over === 'unit') return stepsOfCurve(at, 0, 1)
  return stepsOfTable(at, over.from, over.to)
}

/** Every curve is constant beyond it. */
const FAR = 1e300

/**
 * The steps of an answer that never falls when the number grows, or never grows. Sums, products and quotients are monotone in
 * floating point because they are rounded correctly; that `exp` and `log` are so too is tested around every step.
 */
export function stepsOfCurve(answer: (number: number) => number, from = -FAR, to = FAR): Steps {
  const at: number[] = []
  const search = (low: number, lowAnswer: number, high: number, highAnswer: number): void => {
    if (Object.is(lowAnswer, highAnswer)) return
    const middle = (low + high) / 2
    const middleAnswer = answer(middle)
    if (middle <= low || middle >= high) at.push(high)
    else {
      search(low, lowAnswer, middle, middleAnswer)
      search(middle, middleAnswer, high, highAnswer)
    }
  }
  search(from, answer(from), to, answer(to))
  return { first: answer(from), at, answers: at.map(answer) }
}

function stepsOfTable(answer: (number: number) => number, from: number, to: number): Steps {
  const numbers = Array.from({ length: to - from }, (_, place) => from + 1 + place)
  const at = numbers.filter((number) => !Object.is(answer(number), answer(number - 1)))
  return { first: answer(from), at, answers: at.map(answer) }
}
