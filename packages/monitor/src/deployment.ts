/** A deployment and its catalogue, as far as the monitoring looks at them. */
import type { Definitions, Scorer, ScorerOptions, UnitSource } from 'patient-risk-engine'
import type { ModelDefinition } from 'patient-risk-engine/definition'

export interface MonitoredDeployment {
  readonly name: string
  /** SHA-256, base64, of everything that decides an answer. */
  readonly digest: string
  /** SHA-256, base64, of what the number of an answer follows from. */
  readonly riskDigest: string
  readonly model: MonitoredModel
  readonly deciding: OutputSettings
  readonly scorerOptions: Pick<ScorerOptions, 'conversions' | 'codes'>
  readonly scorer: Pick<Scorer, 'assess'>
  readonly outcomes: OutcomeSettings | undefined
  /** A second model that scores the same records for comparison. */
  readonly shadow: ShadowSettings | undefined
}

export interface MonitoredModel {
  readonly definition: ModelDefinition
}

export interface OutputSettings {
  readonly output: 'number' | 'yes-no'
  readonly threshold?: number
}

export interface OutcomeSettings {
  /** After so many days the outcome of an answer is known. */
  readonly horizonDays: number
  /** Days after the horizon until all outcomes are expected to have been sent. */
  readonly reportingDays?: number
  /** Log odds by which risks may be wrong and still count as right. */
  readonly tolerance?: number
  /** Whether a patient can come back: 1 where each has one outcome, lower where patients repeat. */
  readonly eta: number
  readonly groups?: readonly string[]
  /** Counts that one body may change. */
  readonly maxCells?: number
}

export interface ShadowSettings {
  readonly model: MonitoredModel
  readonly scorer: Pick<Scorer, 'assess'>
  /** The share of the bodies that it scores. */
  readonly share: number
  /** Milliseconds of each second that it may take. */
  readonly budgetMs: number
}

export interface MonitoredCatalog {
  readonly definitions: Definitions
  /** The units of fields that have more than one. */
  readonly units: UnitSource['units']
}
