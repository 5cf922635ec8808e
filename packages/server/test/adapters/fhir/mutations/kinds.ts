/**
 * Mechanical changes of a true Bundle. Some do not change the truth, so that the number stays; others remove knowledge or leave
 * something open, so that it stays or is missing with a reason. It never changes.
 */
import type { Random } from '../../../../../../test/support/random.ts'
import type { Resource } from '../source.ts'
import { LESS } from './kinds-less.ts'
import { SAME } from './kinds-same.ts'
import type { Written } from './true-bundles.ts'

export interface Kind {
  readonly name: string
  /** The models that have no number after it. */
  readonly gone?: readonly string[]
  readonly change: (written: Written, random: Random) => Written
}

export const KINDS: readonly (Kind & { readonly mustStay: boolean })[] = [
  ...SAME.map((kind) => ({ ...kind, mustStay: true })),
  ...LESS.map((kind) => ({ ...kind, mustStay: false })),
]

export type { Resource }
