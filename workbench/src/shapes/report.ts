/** How a model did on labelled data, as the service answers it. A figure that cannot be worked out is null. */

export type Figure = number | null

export interface Range {
  readonly from: Figure
  readonly to: Figure
}

export interface Estimate extends Range {
  readonly value: Figure
  readonly error: Figure
}

/** The ends of an interval by samples of patients. */
export type Span = readonly [Figure, Figure]

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
    readonly intercept: Estimate
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
    readonly distance90: number
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
    readonly inTheLarge: Estimate
    readonly slope: Estimate
    readonly atThreshold?: ThresholdFigures
    readonly sensitivity?: Estimate
  }
}

export interface Difference {
  readonly by: string
  readonly level: string
  readonly reference: string
  readonly inTheLarge: Estimate
  readonly sensitivity?: Estimate
  readonly specificity?: Estimate
}

export interface Split {
  readonly by: string
  readonly how: 'the model as it is' | 'fitted on the other parts' | 'fitted on the earlier parts'
  readonly parts: readonly Subgroup[]
  readonly pooled?: {
    readonly cStatistic: Estimate
    readonly slope: Estimate & { readonly between: Figure }
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
  readonly chosenBy: 'closed test' | 'user'
  readonly from: string
  readonly test: {
    readonly level: number
    readonly full: 'slope' | 'refit'
    readonly comparisons: readonly {
      readonly against: 'none' | 'intercept' | 'slope'
      readonly statistic: number
      readonly degrees: number
      readonly pValue: number
    }[]
    readonly terms?: { readonly pValue: number }
  }
  readonly intercept: number
  readonly slope?: number
  readonly weights?: readonly { readonly term: string; readonly weight: number; readonly error: number }[]
  readonly before: Figures
  readonly reclassification?: {
    readonly thresholdBefore: number
    readonly thresholdAfter: number
    readonly events: Moves
    readonly others: Moves
  }
}

export interface Fit {
  readonly method: string
  readonly clustered: boolean
  readonly coefficients: readonly {
    readonly name: string
    readonly estimate: number
    readonly error: number
    readonly from: number
    readonly to: number
    readonly pValue: number
  }[]
}

export interface Corrected {
  readonly apparent: Figure
  readonly optimism: Figure
  readonly corrected: Figure
}

export interface Optimism {
  /** A refit is about a model that was fitted again. It is about this model only if these are its own data. */
  readonly of: 'fit' | 'refit' | 'recalibration'
  readonly ownData?: boolean
  readonly samples: number
  readonly seed: number
  readonly failed: number
  readonly cStatistic: Corrected
  readonly brier: Corrected
  readonly scaledBrier: Corrected
  readonly slope: Corrected
}

/** By samples of patients: they hold also where a patient has several rows. */
export interface Intervals {
  readonly samples: number
  readonly seed: number
  readonly cStatistic: Span
  readonly brier: Span
  readonly scaledBrier: Span
  readonly inTheLarge: Span
  readonly intercept: Span
  readonly slope: Span
  readonly ratio: Span
  readonly atThreshold?: Readonly<
    Record<'flagged' | 'sensitivity' | 'specificity' | 'positiveValue' | 'negativeValue' | 'netBenefit', Span>
  >
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
    readonly missing: readonly { readonly input: string; readonly share: number }[]
    /** Inputs for whose absence the model states a value, and how many rows lack them. */
    readonly assumed?: readonly { readonly input: string; readonly rows: number }[]
    /** The column of weights. */
    readonly weights?: string
  }
  readonly figures: Figures
  readonly subgroups: readonly Subgroup[]
  readonly differences?: readonly Difference[]
  readonly sensitivity?: readonly Subgroup[]
  readonly split?: Split
  readonly warnings?: readonly string[]
  readonly fit?: Fit
  readonly optimism?: Optimism
  /** Why the model could not be fitted again on these data. */
  readonly uncorrected?: readonly string[]
  readonly intervals?: Intervals
  readonly recalibration?: Recalibration
}

/** What `learn monitor` found, month by month. */
export interface Monitoring {
  readonly expectedC: number
  readonly months: readonly MonitoredMonth[]
  /** What is out of control, in sentences. */
  readonly alarms: readonly string[]
}

export interface MonitoredMonth {
  readonly month: string
  readonly rows: number
  readonly events: number
  readonly meanPredicted: Figure
  readonly observed: Figure
  readonly inTheLarge?: Limited
  readonly cStatistic?: Limited
}

export interface Limited {
  readonly value: Figure
  readonly low: Figure
  readonly high: Figure
  readonly isOut: boolean
}
