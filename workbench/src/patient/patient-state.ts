/** One patient: what was typed, what the service says about it, and the result it is compared with. */
import type { ApiFailure } from '../api.ts'
import type { ErrorItem, Explained } from '../shapes/answers.ts'
import { createState } from '../state.ts'

export interface Baseline {
  readonly typed: Readonly<Record<string, string>>
  readonly result: Explained
}

export interface Patient {
  readonly typed: Readonly<Record<string, string>>
  /** Fields that were left once: what they lack is said beside them. */
  readonly visited: ReadonlySet<string>
  readonly problems: readonly ErrorItem[]
  readonly result: Explained | undefined
  readonly status: 'idle' | 'asking' | 'answered' | 'failed'
  readonly failure: ApiFailure | undefined
  readonly baseline: Baseline | undefined
}

export const NO_PATIENT: Patient = {
  typed: {},
  visited: new Set(),
  problems: [],
  result: undefined,
  status: 'idle',
  failure: undefined,
  baseline: undefined,
}

export const patient = createState<Patient>(NO_PATIENT)
