/** What a report holds: the same figures as JSON and as a page. Counts and estimates only, no record. */
import type { ModelCaseDefinition } from '../../definition/cases.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import type { Figures } from '../figures/figures.ts'
import type { BootstrapIntervals, Optimism } from '../figures/resampling.ts'
import type { Difference, Subgroup } from '../figures/subgroups.ts'
import type { ClosedTest, Method } from '../recalibrate/candidates.ts'
import type { Reclassification } from '../recalibrate/choose.ts'
import type { SplitReport } from '../split.ts'

/** What a command that makes a model gives: the model, its worked cases, and the report on it. */
export interface MadeModel {
  readonly definition: ModelDefinition
  readonly cases: readonly ModelCaseDefinition[]
  readonly report: Report
}

export interface Report {
  readonly kind: 'fit' | 'validation' | 'recalibration'
  /** The day on which it was made, YYYY-MM-DD. */
  readonly made: string
  readonly model: {
    readonly id: string
    readonly version: string
    readonly title: string
    readonly threshold?: number
  }
  readonly data: DataReport
  readonly figures: Figures
  readonly subgroups: readonly Subgroup[]
  /** How far each part lies from the largest part of its grouping. */
  readonly differences?: readonly Difference[]
  /** The same figures under other assumptions. */
  readonly sensitivity?: readonly Subgroup[]
  /** Used rows without the outcome in which the competing event happened. */
  readonly competing?: number
  readonly split?: SplitReport
  /** What a reader must know before relying on the figures. */
  readonly warnings?: readonly string[]
  readonly fit?: FitReport
  readonly optimism?: Optimism
  /** Why the model could not be fitted again on these data, where that was tried. */
  readonly uncorrected?: readonly string[]
  readonly intervals?: BootstrapIntervals
  readonly recalibration?: RecalibrationReport
}

export interface DataReport {
  /** The file's own name, without its folder. */
  readonly file: string
  readonly noun: string
  readonly outcome: string
  readonly read: number
  readonly used: number
  readonly leftOut: readonly { readonly reason: string; readonly rows: number }[]
  /** The share of rows without a value, for each input, before rows are left out for it. */
  readonly missing: readonly { readonly input: string; readonly share: number }[]
  /** Rows without a patient identifier; each counts as a patient of its own. */
  readonly blankPatients?: number
  /** The column of weights. */
  readonly weights?: string
  /** Inputs for whose absence the model states a value, and how many of the used rows lack them. */
  readonly assumed?: readonly { readonly input: string; readonly rows: number }[]
}

export interface FitReport {
  readonly method: string
  readonly iterations: number
  readonly logLikelihood: number
  readonly penalty?: number
  /** Whether standard errors are by patient. */
  readonly clustered: boolean
  /** Of the fit itself; the model's file may hold them rounded. */
  readonly coefficients: readonly {
    readonly name: string
    readonly estimate: number
    readonly error: number
    readonly from: number
    readonly to: number
    readonly pValue: number
  }[]
}

export interface RecalibrationReport {
  readonly method: Method
  readonly chosenBy: 'closed test' | 'user'
  readonly from: string
  readonly test: ClosedTest
  /** The intercept and slope that were found, or the weight of each term. */
  readonly intercept: number
  readonly slope?: number
  readonly weights?: readonly { readonly term: string; readonly weight: number; readonly error: number }[]
  readonly before: Figures
  readonly reclassification?: Reclassification
  /** The share flagged before and after, and the score at which the published cut lay, where it was one. */
  readonly flagged?: { readonly before: number; readonly after: number; readonly scoreBefore?: number }
}
