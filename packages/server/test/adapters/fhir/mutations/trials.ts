/** Changes of true Bundles, held against the numbers that are known. Says what has become another number. */
import { readFileSync } from 'node:fs'
import { Random } from '../../../../../../test/support/random.ts'
import { KINDS } from './kinds.ts'
import { MODELS, type Outcome, faultsBetween, numbersOf } from './numbers.ts'
import { type Written, trueBundle } from './true-bundles.ts'

const MOST_KINDS = 3
/** For each Bundle, by its seed, the number that each model gives. */
export const KNOWN = JSON.parse(
  readFileSync(new URL('known-numbers.json', import.meta.url), 'utf8'),
) as readonly Readonly<Record<string, number>>[]

const BUNDLES = KNOWN.map((_, seed) => trueBundle(seed))

/** How many models each changed Bundle is scored by: reading it takes as long as scoring it. */
const MODELS_OF_A_BUNDLE = 2

/** Faults of some draws of up to three changes and a model, each with how to repeat it. */
export function draw(seed: number, draws: number): readonly string[] {
  const faults: string[] = []
  for (let at = 0; at < draws; at += MODELS_OF_A_BUNDLE) {
    const random = new Random(seed + at)
    const bundle = random.below(KNOWN.length)
    const first = random.below(MODELS.length)
    const second = (first + 1 + random.below(MODELS.length - 1)) % MODELS.length
    const models = MODELS.filter((_, each) => each === first || each === second)
    const picked = Array.from({ length: 1 + random.below(MOST_KINDS) }, () => random.pick(KINDS))
    const kinds = [
      ...picked.filter(({ isLast }) => isLast !== true),
      ...picked.filter(({ isLast }) => isLast === true).slice(0, 1),
    ]
    const changed = kinds.reduce((written, { change }) => change(written, random), BUNDLES[bundle] as Written)
    const found = faultsBetween(KNOWN[bundle] ?? {}, numbersOf(changed, models), { mustStay: false })
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

export interface Trial {
  readonly kind: string
  /** Each with how to repeat it. */
  readonly faults: readonly string[]
  readonly after: ReadonlyMap<string, Outcome>
}

/** Some kinds on one Bundle and all models, one after the other. */
export function* trialsOf(bundle: number, kinds = KINDS): Generator<Trial> {
  const written = trueBundle(bundle)
  const unchanged = JSON.stringify(written)
  const known = KNOWN[bundle] ?? {}
  let plain: ReadonlyMap<string, Outcome> | undefined
  for (const kind of kinds) {
    const changed = kind.change(written, new Random(bundle))
    // Not every Bundle has what a kind changes. The numbers of the Bundle itself are computed once.
    const isChanged = JSON.stringify(changed) !== unchanged
    const after = isChanged ? numbersOf(changed) : (plain ??= numbersOf(written))
    const found = isChanged
      ? faultsBetween(known, after, kind)
      : faultsBetween(known, after, { mustStay: true })
    yield {
      kind: kind.name,
      faults: found.map((fault) => `Bundle ${bundle}, ${kind.name}: ${fault}`),
      after,
    }
  }
}

/** Every kind on some Bundles and all models. */
export function sweep(bundles: readonly number[]): Sweep {
  const faults: string[] = []
  const counts = new Map<string, { stayed: number; missing: number }>()
  for (const bundle of bundles) {
    for (const { kind, faults: found, after } of trialsOf(bundle)) {
      faults.push(...found)
      const count = counts.get(kind) ?? { stayed: 0, missing: 0 }
      counts.set(kind, count)
      for (const { risk } of after.values()) count[risk === undefined ? 'missing' : 'stayed']++
    }
  }
  return { faults, counts }
}
