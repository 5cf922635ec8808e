/** Scores at which an answer changes: the doubles where SQL and the engine could differ. */
import type { LinkDefinition } from '../../src/definition/model.ts'
import { compileLink, roundRisk } from '../../src/score/link.ts'
import { stepsOfCurve } from '../../src/expression/tabulate.ts'

export const LINKS: readonly [LinkDefinition, ...LinkDefinition[]] = [
  { kind: 'logistic', intercept: 0 },
  { kind: 'survival', baseline: 0.983, rate: 0.9 },
  { kind: 'recalibrated', of: { kind: 'logistic', intercept: -1 }, intercept: 0.1, slope: 0.15 },
]

/** The doubles at and just below every score at which the answer changes. */
export function scoresAround(link: LinkDefinition): readonly number[] {
  const curve = compileLink(link)
  return stepsOfCurve((score) => roundRisk(curve(score))).at.flatMap((score) => [neighbour(score, -1), score])
}

const double = new Float64Array(1)
const bits = new BigInt64Array(double.buffer)

export function neighbour(value: number, by: number): number {
  double[0] = value
  bits[0] = (bits[0] as bigint) + BigInt(value > 0 ? by : -by)
  return double[0]
}
