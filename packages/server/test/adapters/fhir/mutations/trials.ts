/** Draws of a true Bundle, changes and a model. Says what has become another number. */
import { Random } from '../../../../../../test/support/random.ts'
import { KINDS } from './kinds.ts'
import { MODELS, type Outcome, faultsBetween, numbersOf } from './numbers.ts'
import { trueBundle } from './true-bundles.ts'

const MOST_KINDS = 3

/** Faults of some draws of up to three changes and one model, each with how to repeat it. */
export function draw(seed: number, draws: number): readonly string[] {
  const faults: string[] = []
  for (let at = 0; at < draws; at++) {
    const random = new Random(seed + at)
    const bundle = random.below(1_000)
    const model = random.pick(MODELS)
    const kinds = Array.from({ length: 1 + random.below(MOST_KINDS) }, () => random.pick(KINDS))
    const written = trueBundle(bundle)
    const changed = kinds.reduce((now, { change }) => change(now, random), written)
    const found = faultsBetween(numbersOf(written, [model]), numbersOf(changed, [model]), false)
    const names = kinds.map(({ name }) => name).join(', then ')
    faults.push(...found.map((fault) => `draw ${seed + at}, Bundle ${bundle}, ${names}: ${fault}`))
  }
  return faults
}

export interface Sweep {
  readonly faults: readonly string[]
  /** How many numbers stayed, and how many were missing with a reason, by the name of the kind. */
  readonly counts: ReadonlyMap<string, { stayed: number; missing: number }>
}

/** Every kind on some Bundles and all models. */
export function sweep(bundles: readonly number[], names: readonly string[] = []): Sweep {
  const faults: string[] = []
  const counts = new Map<string, { stayed: number; missing: number }>()
  for (const bundle of bundles) {
    const written = trueBundle(bundle)
    const before = numbersOf(written)
    for (const { name, change, mustStay } of KINDS) {
      if (names.length > 0 && !names.includes(name)) continue
      const after = numbersOf(change(written, new Random(bundle)))
      faults.push(
        ...faultsBetween(before, after, mustStay).map((fault) => `Bundle ${bundle}, ${name}: ${fault}`),
      )
      const count = counts.get(name) ?? { stayed: 0, missing: 0 }
      counts.set(name, count)
      for (const { risk } of after.values()) count[risk === undefined ? 'missing' : 'stayed']++
    }
  }
  return { faults, counts }
}

export type { Outcome }
