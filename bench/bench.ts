/** What every part of the benchmark is given. */
import type { Plan } from '../src/engine/plan.ts'

export interface Bench {
  readonly plan: Plan
  /** A folder for bodies, emptied at the end. */
  readonly folder: string
  readonly rounds: number
  readonly seconds: number
}
