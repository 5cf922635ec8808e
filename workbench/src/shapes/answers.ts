/** What the service answers about keys and records, as its OpenAPI document says it. */
import type { Value } from './fields.ts'
import type { Components } from './schema.ts'

type Schemas = Components['schemas']

export type KeySummary = Schemas['KeySummary']
export type DeploymentSummary = KeySummary['deployments'][number]
export type ExplainedTerm = Schemas['ExplainedTerm']
export type Explanation = Schemas['Explanation']

export type ErrorItem = Schemas['ErrorItem'] & {
  /** A kind that the page itself gave the problem, where it knows more than the message says. */
  readonly kind?: 'tooManyCells' | 'tooFewCells' | 'ambiguous'
}

interface Judged {
  readonly idx: number | null
  readonly error_message: readonly ErrorItem[] | null
}

export interface Result extends Judged {
  readonly risk: Schemas['ResultNumber' | 'ResultYesNo']['risk']
}

export interface Validity extends Judged {
  readonly valid: boolean
}

export interface Explained extends Result {
  readonly explanation: Explanation | null
}

/** A patient record as the page sends it. */
export type PatientRecord = Readonly<Record<string, Value>>
