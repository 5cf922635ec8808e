/**
 * Mechanical changes of a true Bundle. Some do not change the truth, so that the number stays; others remove knowledge or leave
 * something open, so that it stays or is missing with a reason. It never changes.
 */
import type { Kind } from './changes.ts'
import { HIDDEN } from './kinds-hidden.ts'
import { LESS } from './kinds-less.ts'
import { LOST } from './kinds-lost.ts'
import { SAME } from './kinds-same.ts'

export const KINDS: readonly (Kind & { readonly mustStay: boolean })[] = [
  ...SAME.map((kind) => ({ ...kind, mustStay: true })),
  ...LESS.map((kind) => ({ ...kind, mustStay: false })),
  ...HIDDEN.map((kind) => ({ ...kind, mustStay: false })),
  ...LOST.map((kind) => ({ ...kind, mustStay: false })),
]
