/** What every part of the benchmark is given, and what it gives. */
import type { Plan } from 'patient-risk-engine'
import type { Section } from './results.ts'

export interface Bench {
  readonly plan: Plan
  /** A folder for bodies, emptied at the end. */
  readonly folder: string
  readonly rounds: number
  readonly seconds: number
}

export type Part = (bench: Bench) => Promise<readonly Section[]>
