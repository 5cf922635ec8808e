/**
 * A link as the scores at which its answer changes. Engines differ in the last place of `exp`, so the answer for a score is
 * not computed there: it is found by comparing the score with these numbers.
 */

export interface Steps {
  /** The answer below the first change. */
  readonly first: number
  /** Where the answer changes: the smallest score with the new answer, ascending. */
  readonly at: readonly number[]
  readonly answers: readonly number[]
}

/** Every link is constant beyond it. */
const FAR = 1e300

/**
 * The steps of an answer that never falls when the score grows, or never grows. Sums, products and quotients are monotone in
 * floating point because they are rounded correctly; that `exp` and `log` are so too is tested around every step.
 */
export function stepsOfCurve(answer: (score: number) => number): Steps {
  const at: number[] = []
  const answers: number[] = []
  const open: (readonly [number, number, number, number])[] = [[-FAR, answer(-FAR), FAR, answer(FAR)]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [low, lowAnswer, high, highAnswer] = next
    if (Object.is(lowAnswer, highAnswer)) continue
    const middle = (low + high) / 2
    if (middle <= low || middle >= high) {
      at.push(high)
      answers.push(highAnswer)
      continue
    }
    const middleAnswer = answer(middle)
    // The lower half is looked at first, so that the steps come in ascending order.
    open.push([middle, middleAnswer, high, highAnswer], [low, lowAnswer, middle, middleAnswer])
  }
  return { first: answer(-FAR), at, answers }
}

/** The steps of an answer that is only asked for whole scores of a range. */
export function stepsOfTable(answer: (score: number) => number, from: number, to: number): Steps {
  const at: number[] = []
  const answers: number[] = []
  let last = answer(from)
  for (let score = from + 1; score <= to; score++) {
    const now = answer(score)
    if (Object.is(now, last)) continue
    at.push(score)
    answers.push(now)
    last = now
  }
  return { first: answer(from), at, answers }
}
