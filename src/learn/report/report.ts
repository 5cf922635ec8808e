/** What a report holds: the same figures as JSON and as a page. Counts and estimates only, no record. */
import type { Intake } from '../data/labelled.ts'
import type { BootstrapIntervals } from '../figures/intervals.ts'
import type { Optimism } from '../figures/optimism.ts'
import type { Figures } from '../figures/figures.ts'
import type { Subgroup } from '../figures/subgroups.ts'
import type { ClosedTest } from '../recalibrate/closed-test.ts'
import type { Reclassification } from '../recalibrate/reclassify.ts'

export interface Report {
  readonly kind: 'fit' | 'validation' | 'recalibration'
  /** The day on which it was made, YYYY-MM-DD. */
  readonly made: string
  readonly model: ModelReport
  readonly data: DataReport
  readonly figures: Figures
  readonly subgroups: readonly Subgroup[]
  readonly fit?: FitReport
  readonly optimism?: Optimism
  /** Why the model could not be made anew on these data, where that was tried. */
  readonly uncorrected?: readonly string[]
  readonly intervals?: BootstrapIntervals
  readonly recalibration?: RecalibrationReport
}

export interface ModelReport {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly threshold?: number
}

export interface DataReport {
  /** The file's own name, without its folder. */
  readonly file: string
  readonly noun: string
  readonly outcome: string
  readonly read: number
  readonly used: number
  readonly leftOut: readonly { readonly reason: string; readonly rows: number }[]
  /** Inputs for whose absence the model states a value, and how many of the used rows lack them. */
  readonly assumed?: readonly { readonly input: string; readonly rows: number }[]
}

export interface FitReport {
  readonly method: string
  readonly iterations: number
  readonly logLikelihood: number
  readonly penalty?: number
  readonly clustered: boolean
  /** Of the fit itself; the model's file may hold them rounded. */
  readonly coefficients: readonly CoefficientReport[]
}

export interface CoefficientReport {
  readonly name: string
  readonly estimate: number
  readonly error: number
  readonly from: number
  readonly to: number
  readonly pValue: number
}

export interface RecalibrationReport {
  readonly method: 'none' | 'intercept' | 'slope' | 'refit'
  readonly chosenBy: 'closed test' | 'user'
  readonly from: string
  readonly test: ClosedTest
  /** The intercept and slope that were found, or the weight of each term. */
  readonly intercept: number
  readonly slope?: number
  readonly weights?: readonly { readonly term: string; readonly weight: number; readonly error: number }[]
  readonly before: Figures
  readonly reclassification?: Reclassification
}

export function modelReport(
  { id, version, title }: Omit<ModelReport, 'threshold'>,
  threshold: number | undefined,
): ModelReport {
  return { id, version, title, ...(threshold === undefined ? {} : { threshold }) }
}

export function dataReport(
  file: string,
  noun: string,
  outcome: string,
  used: number,
  intake: Intake,
  assumed: ReadonlyMap<string, number>,
): DataReport {
  const leftOut = [...intake.leftOut]
    .map(([reason, rows]) => ({ reason, rows }))
    .sort((a, b) => b.rows - a.rows)
  const head = { file, noun, outcome, read: intake.rows, used, leftOut }
  return assumed.size === 0
    ? head
    : { ...head, assumed: [...assumed].map(([input, rows]) => ({ input, rows })) }
}
