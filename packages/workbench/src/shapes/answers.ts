/** What the service answers about keys and records, as its OpenAPI document says it. */
import type { Value } from './fields.ts'
import type { Components } from '../../generated/schema.ts'

type Schemas = Components['schemas']

export type KeySummary = Schemas['KeySummary']
export type DeploymentSummary = KeySummary['deployments'][number]
export type ExplainedTerm = Schemas['ExplainedTerm']
export type Explanation = Schemas['Explanation']
export type ScaleState = Schemas['ScaleState']
export type Notice = Schemas['Notice']
export type RiskRange = Schemas['RiskRange']

export type ErrorItem = Schemas['ErrorItem'] & {
  /** A kind that the page itself gave the problem, where it knows more than the message says. */
  readonly kind?: 'tooManyCells' | 'tooFewCells' | 'ambiguous'
}

export interface Result {
  readonly idx: number | null
  readonly risk: Schemas['ResultNumber' | 'ResultYesNo']['risk']
  readonly error_message: readonly ErrorItem[] | null
}

export type Explained = Result &
  Pick<Schemas['ExplainedNumber'], 'explanation' | 'scales' | 'notices' | 'range'>

/** A patient record as the page sends it. */
export type PatientRecord = Readonly<Record<string, Value>>
