/** The kinds of term that a model may add up. `score/model.ts` computes their points, `curve.ts` those of curves. */
import type { CurveDefinition } from './curve.ts'

/** Points of the values from one end to the other. An end that is left out is open. */
export interface PointsBandDefinition {
  /** The first value of the band. */
  readonly from?: number
  /** The last value below the band, in place of `from`. */
  readonly above?: number
  /** The last value of the band. */
  readonly to?: number
  /** The first value above the band, in place of `to`. */
  readonly below?: number
  readonly points: number
}

interface CategoryDefinition {
  readonly kind: 'category'
  readonly label?: string
  readonly field: string
  /** By code. */
  readonly points: Readonly<Record<string, number>>
}

interface BandedDefinition {
  readonly kind: 'banded'
  readonly label?: string
  readonly field: string
  readonly bands: readonly PointsBandDefinition[]
}

/** Points where a yes/no field is true. */
interface FlagDefinition {
  readonly kind: 'flag'
  readonly label?: string
  readonly field: string
  readonly points: number
}

interface CountDefinition {
  readonly kind: 'count'
  readonly label?: string
  /** A field counts when it is below this value. */
  readonly below: Readonly<Record<string, number>>
  /** The points of each count. */
  readonly bands: readonly PointsBandDefinition[]
}

interface AbsentDefinition {
  readonly kind: 'absent'
  readonly label?: string
  readonly field: string
  /** Points when the input is absent and its `whenAbsent` stands in for it. */
  readonly points: number
}

/** Every kind that can stand alone and as a factor of a product. */
export type SimpleTermDefinition =
  | CurveDefinition
  | CategoryDefinition
  | BandedDefinition
  | FlagDefinition
  | CountDefinition
  | AbsentDefinition

/** An interaction of two or more terms. */
export interface ProductDefinition {
  readonly kind: 'product'
  readonly label?: string
  /** Terms whose points are multiplied with each other and with the coefficient. */
  readonly factors: readonly SimpleTermDefinition[]
  readonly coefficient: number
}

/** A question about one field. It has one of `below`, `upTo` and `oneOf`; a value of which it holds goes to `then`. */
export interface SplitDefinition {
  readonly field: string
  /** Values below this one go to `then`. */
  readonly below?: number
  /** Values up to this one, which is included, go to `then`. */
  readonly upTo?: number
  /** These values go to `then`, as a record writes them. */
  readonly oneOf?: readonly (string | number | boolean)[]
  readonly then: number
  readonly else: number
  /** Where a record without the field goes. Only for inputs whose `whenAbsent` is null. */
  readonly absent?: 'then' | 'else'
}

/** The nodes, the first one on top. A number is a leaf: its points. Branches are places in this list, from 0. */
export type TreeDefinition = readonly (number | SplitDefinition)[]

export interface TreesDefinition {
  readonly kind: 'trees'
  readonly label?: string
  readonly combine: 'sum' | 'mean'
  /** Rounded to 32 bits before a comparison: the value, as in scikit-learn, or both sides, as in XGBoost. */
  readonly rounding?: 'none' | 'value' | 'both'
  readonly trees: readonly TreeDefinition[]
}

export type TermDefinition = SimpleTermDefinition | ProductDefinition | TreesDefinition
