/** How a model did on labelled data, as the service answers it. A figure that cannot be worked out is null. */

export type Figure = number | null

export interface Estimate {
  readonly value: Figure
  readonly from: Figure
  readonly to: Figure
}

export interface RiskGroup {
  readonly rows: number
  readonly events: number
  readonly predicted: number
  readonly observed: number
  readonly from: number
  readonly to: number
  readonly lowest: number
  readonly highest: number
}

export interface ThresholdFigures {
  readonly threshold: number
  readonly flagged: number
  readonly sensitivity: number
  readonly specificity: number
  readonly positiveValue: Figure
  readonly negativeValue: Figure
  readonly netBenefit: number
  readonly netBenefitAll: number
}

export interface Figures {
  readonly rows: number
  readonly events: number
  readonly patients: number
  readonly cStatistic: Estimate
  readonly brier: { readonly value: number; readonly scaled: number }
  readonly calibration: {
    readonly meanPredicted: number
    readonly observed: number
    readonly ratio: Figure
    readonly inTheLarge: Estimate
    readonly slope: Estimate
  }
  readonly curve?: {
    readonly points: readonly {
      readonly predicted: number
      readonly observed: number
      readonly from: number
      readonly to: number
    }[]
    readonly meanDistance: number
  }
  readonly groups: readonly RiskGroup[]
  readonly thresholds: readonly ThresholdFigures[]
  /** The same figures at every whole percent from 1 on. */
  readonly decision: readonly ThresholdFigures[]
  readonly histogram: {
    readonly width: number
    readonly events: readonly number[]
    readonly others: readonly number[]
  }
}

export interface Subgroup {
  readonly by: string
  readonly level: string
  readonly rows: number
  readonly events: number
  readonly figures?: {
    readonly cStatistic: Estimate
    readonly ratio: Figure
    readonly slope: Estimate
    readonly atThreshold?: ThresholdFigures
  }
}

export interface Moves {
  readonly stayYes: number
  readonly stayNo: number
  readonly toYes: number
  readonly toNo: number
}

export interface Recalibration {
  readonly method: 'none' | 'intercept' | 'slope' | 'refit'
  readonly from: string
  readonly before: Figures
  readonly reclassification?: {
    readonly thresholdBefore: number
    readonly thresholdAfter: number
    readonly events: Moves
    readonly others: Moves
  }
}

export interface Report {
  readonly kind: 'fit' | 'validation' | 'recalibration'
  /** YYYY-MM-DD. */
  readonly made: string
  readonly model: {
    readonly id: string
    readonly version: string
    readonly title: string
    readonly threshold?: number
  }
  readonly data: {
    readonly file: string
    readonly noun: string
    readonly outcome: string
    readonly read: number
    readonly used: number
    readonly leftOut: readonly { readonly reason: string; readonly rows: number }[]
    /** Inputs for whose absence the model states a value, and how many rows lack them. */
    readonly assumed?: readonly { readonly input: string; readonly rows: number }[]
  }
  readonly figures: Figures
  readonly subgroups: readonly Subgroup[]
  readonly optimism?: {
    /** A refit speaks of a model made anew, and of this one only where these are its own data. */
    readonly of: 'fit' | 'refit' | 'recalibration'
    readonly ownData?: boolean
    readonly cStatistic: { readonly corrected: Figure }
  }
  /** By samples of patients: they hold also where a patient has several rows. */
  readonly intervals?: {
    readonly cStatistic: readonly [Figure, Figure]
    readonly slope: readonly [Figure, Figure]
  }
  readonly recalibration?: Recalibration
}
