/** What the service answers about keys and records. The page knows the service by HTTP alone. */
import type { Value } from './fields.ts'

export interface DeploymentSummary {
  readonly name: string
  readonly basePath: string
  readonly title: string
  readonly model: string
  readonly output: 'number' | 'yes-no'
  readonly threshold?: number
  readonly ready: boolean
}

export interface KeySummary {
  readonly key: { readonly id: string; readonly name: string; readonly expires: string | null }
  readonly admin: boolean
  /** After how many minutes without activity the page signs out. */
  readonly idleLockMinutes?: number
  readonly deployments: readonly DeploymentSummary[]
}

export interface ErrorItem {
  readonly Field: string
  readonly FieldDate: string
  readonly ExtendError: string
  /** A kind that the page itself gave the problem, where it knows more than the message says. */
  readonly kind?: 'tooManyCells' | 'tooFewCells' | 'ambiguous'
}

export interface Result {
  readonly idx: number | null
  readonly risk: number | 'Yes' | 'No' | null
  readonly error_message: readonly ErrorItem[] | null
}

export interface Validity {
  readonly idx: number | null
  readonly valid: boolean
  readonly error_message: readonly ErrorItem[] | null
}

export interface ExplainedTerm {
  readonly label: string
  readonly kind: string
  readonly points: number
  readonly values: readonly {
    readonly field: string
    readonly value: Value
    readonly origin: 'given' | 'computed' | 'assumed'
  }[]
}

export interface Explanation {
  readonly model: string
  readonly score: number
  readonly intercept?: number
  readonly probability: number
  readonly terms: readonly ExplainedTerm[]
}

export interface Explained extends Result {
  readonly explanation: Explanation | null
}

/** A patient record as the page sends it. */
export type PatientRecord = Readonly<Record<string, Value>>
