/** A model's card and everything that its numbers come from, as the service answers it. */
import type { Field } from './fields.ts'

export interface PointsBand {
  readonly from?: number
  readonly above?: number
  readonly to?: number
  readonly below?: number
  readonly points: number
}

export type Term =
  | SimpleTerm
  | {
      readonly kind: 'product'
      readonly label?: string
      readonly factors: readonly SimpleTerm[]
      readonly coefficient: number
    }

export type SimpleTerm = { readonly label?: string } & (
  | { readonly kind: 'linear'; readonly field: string; readonly per?: number; readonly coefficient: number }
  | { readonly kind: 'square'; readonly field: string; readonly per?: number; readonly coefficient: number }
  | {
      readonly kind: 'logarithm'
      readonly field: string
      readonly plus: number
      readonly coefficient: number
    }
  | { readonly kind: 'category'; readonly field: string; readonly points: Readonly<Record<string, number>> }
  | { readonly kind: 'banded'; readonly field: string; readonly bands: readonly PointsBand[] }
  | { readonly kind: 'flag'; readonly field: string; readonly points: number }
  | {
      readonly kind: 'count'
      readonly below: Readonly<Record<string, number>>
      readonly bands: readonly PointsBand[]
    }
  | {
      readonly kind: 'spline'
      readonly field: string
      readonly knots: readonly number[]
      readonly coefficients: readonly number[]
    }
  | { readonly kind: 'absent'; readonly field: string; readonly points: number }
)

export type Link =
  | OriginalLink
  | {
      readonly kind: 'recalibrated'
      readonly of: OriginalLink
      readonly intercept: number
      readonly slope: number
    }

export type OriginalLink =
  | { readonly kind: 'logistic'; readonly intercept: number }
  | { readonly kind: 'scoreTable'; readonly from: number; readonly risks: readonly number[] }
  | {
      readonly kind: 'strata'
      readonly strata: readonly {
        readonly from: number
        readonly to: number
        readonly risk: number
        readonly events?: number
        readonly of?: number
        readonly label?: string
      }[]
    }
  | { readonly kind: 'survival'; readonly baseline: number; readonly rate: number }

export interface Card {
  readonly summary: string
  readonly intendedUse: string
  readonly users: string
  readonly population: string
  readonly setting: string
  readonly outcome: string
  readonly horizonDays: number
  readonly missingData: string
  readonly development: string
  readonly discrimination: readonly {
    readonly data: string
    readonly cStatistic?: number
    readonly brier?: number
    readonly calibration?: string
    readonly source?: string
  }[]
  readonly calibration: string
  readonly limits: readonly string[]
  readonly conflicts?: readonly string[]
}

export interface NumberProfile {
  /** Where one bin ends and the next one starts. */
  readonly cuts: readonly number[]
  /** One more than cuts, of the rows with a value. */
  readonly shares: readonly number[]
  readonly missing: number
  /** The lowest and the highest value of the data, where they are published. */
  readonly from?: number
  readonly to?: number
}

/** How the inputs were distributed in the data that the model comes from. */
export interface Profile {
  readonly data: string
  readonly rows: number
  readonly inputs: Readonly<
    Record<
      string,
      NumberProfile | { readonly codes: Readonly<Record<string, number>>; readonly missing: number }
    >
  >
}

export interface Model {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly digest: string
  readonly released: boolean
  readonly ready: boolean
  /** Whether there are figures of it on labelled data. */
  readonly report: boolean
  readonly card: Card
  readonly inputs: readonly Field[]
  readonly terms: readonly Term[]
  readonly link: Link
  readonly threshold?: {
    readonly risk: number
    readonly score?: number
    readonly published: boolean
    readonly note: string
    readonly cost: string
  }
  readonly profile?: Profile
  readonly source: { readonly cite: string; readonly links?: readonly string[] }
  readonly licence: { readonly status: string; readonly shipped: string }
  readonly deployment: {
    readonly name: string
    readonly output: 'number' | 'yes-no'
    readonly threshold?: number
    readonly limits: { readonly bytes: number; readonly records: number }
  }
}
