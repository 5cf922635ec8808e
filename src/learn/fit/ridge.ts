/** Chooses a ridge penalty by cross-validation. Rows of one patient always share a fold. */
import { clusterCount } from '../figures/predictions.ts'
import { randomFrom } from '../numbers/random.ts'
import type { Design } from './design.ts'
import { fitLogistic, ifEstimable } from './logistic.ts'
import { passOver } from './pass.ts'

export interface RidgeChoice {
  readonly penalty: number
  readonly folds: number
  /** Each penalty that was tried, and the mean log likelihood of a row left out. */
  readonly tried: readonly { readonly penalty: number; readonly logLikelihood: number }[]
}

/** No penalty, and half decades from a tenth to ten thousand. */
const PENALTIES = [0, ...Array.from({ length: 11 }, (_each, step) => 10 ** (step / 2 - 1))]

export function chooseRidge(
  design: Design,
  folds: number,
  seed: number,
  onStep: (done: number, of: number) => void = () => undefined,
): RidgeChoice {
  const foldOf = assignFolds(clusterCount(design.labels.clusters), folds, seed)
  const starts = new Array<Float64Array | undefined>(folds)
  // From the strongest penalty down: each fit starts from the one before it, and none starts far away.
  const tried = [...PENALTIES].reverse().map((penalty, step) => {
    let sum = 0
    for (let fold = 0; fold < folds; fold++) {
      const inside = Uint8Array.from(foldOf, (own) => (own === fold ? 0 : 1))
      const outside = Uint8Array.from(foldOf, (own) => (own === fold ? 1 : 0))
      const start = starts[fold]
      // A penalty that is too weak for the estimates to settle is not chosen.
      const standard = ifEstimable(() => fitLogistic(design, { times: inside, penalty, start }).standard)
      starts[fold] = standard ?? start
      sum += standard === undefined ? -Infinity : passOver(design, standard, outside).logLikelihood
      onStep(step * folds + fold + 1, PENALTIES.length * folds)
    }
    return { penalty, logLikelihood: sum / design.rows }
  })
  const best = tried.reduce((a, b) => (b.logLikelihood >= a.logLikelihood ? b : a))
  return { penalty: best.penalty, folds, tried: tried.reverse() }
}

/** Folds of nearly the same number of patients, in an order drawn from the seed. */
export function assignFolds(clusters: number, folds: number, seed: number): Uint8Array {
  const random = randomFrom(seed)
  const order = Array.from({ length: clusters }, (_each, index) => index)
  for (let last = clusters - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[order[last], order[other]] = [order[other] as number, order[last] as number]
  }
  const foldOf = new Uint8Array(clusters)
  order.forEach((cluster, place) => (foldOf[cluster] = place % folds))
  return foldOf
}
