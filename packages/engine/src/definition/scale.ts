/** What a scale's file may say. Labels are short words of our own; ranges are computed, never typed. */
import type { PointsBandDefinition } from './term.ts'

/** One question of the scale. */
interface ItemDefinition {
  readonly label: string
  /** Every permitted value, in ascending order. */
  readonly values: readonly number[]
  readonly note?: string
  /** What a value stands for, where a number alone does not say it. */
  readonly meanings?: Readonly<Record<string, string>>
  readonly verified?: boolean
}

/** A measured number: seconds, metres per second, kilograms. Values are multiples of the step. */
interface MeasureDefinition {
  readonly label: string
  readonly from: number
  readonly to: number
  readonly step: number
  readonly unit: string
  readonly note?: string
  readonly verified?: boolean
}

/** A value that is not an item and not added up: schooling, or age points. */
export interface ContextDefinition {
  readonly label: string
  /** Numbers, or each code and what it means. */
  readonly values: readonly number[] | Readonly<Record<string, string>>
  readonly note?: string
}

export interface SumDefinition {
  readonly kind: 'sum'
  /** Of each group exactly one item counts. */
  readonly alternatives?: readonly (readonly string[])[]
  /** When the severe form scores, the mild one does not. */
  readonly hierarchies?: readonly HierarchyDefinition[]
  /** The highest total; a larger sum counts as this. */
  readonly to?: number
}

interface HierarchyDefinition {
  readonly severe: string
  readonly replaces: string
}

/** The total is the value of one item. */
interface GradeDefinition {
  readonly kind: 'grade'
  readonly item: string
}

export interface RuleDefinition {
  readonly kind: 'rule'
  /** The total is 1 when every part holds, else 0. An item holds when it is above 0. */
  readonly all: readonly (string | AnyOfItems)[]
}

interface AnyOfItems {
  readonly any: readonly string[]
}

/** How the items become the total. `sum` alone is a plain sum of all of them. */
export type TotalDefinition = 'sum' | SumDefinition | GradeDefinition | RuleDefinition

/** A band of readings, and the points that it gives. */
export interface ReadingBandDefinition extends PointsBandDefinition {
  /** The band holds where these items or context have these values. Without it, always. */
  readonly when?: Readonly<Record<string, number | string>>
}

interface SumOfValues {
  readonly kind: 'sum'
  readonly label?: string
  readonly of: readonly string[]
}

interface MeanOfValues {
  readonly kind: 'mean'
  readonly label?: string
  readonly of: readonly string[]
  readonly decimals: number
}

interface CountAtLeast {
  readonly kind: 'countAtLeast'
  readonly label?: string
  readonly of: readonly string[]
  readonly atLeast: number
}

/** A value plus the points of a code, kept within a range. */
interface ShiftedValue {
  readonly kind: 'shifted'
  readonly label?: string
  readonly of: string
  readonly by: string
  readonly points: Readonly<Record<string, number>>
  readonly from: number
  readonly to: number
}

/** A value divided by a constant: deficits out of 25. */
interface Quotient {
  readonly kind: 'quotient'
  readonly label?: string
  readonly of: string
  readonly by: number
  readonly decimals: number
}

/** A constant divided by a value: metres by seconds. */
interface Inverse {
  readonly kind: 'inverse'
  readonly label?: string
  readonly of: string
  readonly numerator: number
  readonly decimals: number
  /** How far a given value may lie from the computed one. */
  readonly within?: number
}

/** 1 when the sum of some values is within a range, else 0. */
interface SumWithin {
  readonly kind: 'sumWithin'
  readonly label?: string
  readonly of: readonly string[]
  readonly from: number
  readonly to: number
}

/** The number of a code, such as stage 6a; or another code. */
interface ByCode {
  readonly kind: 'byCode'
  readonly label?: string
  /** A part of the scale, or `record:` and a field of the record itself. */
  readonly of: string
  readonly values: Readonly<Record<string, number | string>>
}

/** Geriatric Nutritional Risk Index: albumin, and weight as a share (at most 1) of the ideal weight by Lorentz. */
interface Gnri {
  readonly kind: 'gnri'
  readonly label?: string
  /** Albumin in g/L, weight in kg, height in cm. */
  readonly of: readonly string[]
  readonly by: string
  readonly albumin: number
  readonly weight: number
  /** By sex: ideal weight = height − 100 − (height − 150) ÷ divisor. */
  readonly divisors: Readonly<Record<string, number>>
  readonly decimals: number
  /** How far a given value may lie from the computed one. */
  readonly within?: number
}

/** The points of the band that a reading lies in. */
interface BandedReading {
  readonly kind: 'banded'
  readonly label?: string
  /** A part of the scale, or `record:` and a field of the record itself. */
  readonly of: string
  readonly bands: readonly ReadingBandDefinition[]
}

/** Body mass index: weight divided by the square of the height in metres. */
interface BodyMassIndex {
  readonly kind: 'bodyMassIndex'
  readonly label?: string
  /** Weight in kg, height in cm. */
  readonly of: readonly string[]
  readonly decimals: number
  /** How far a given value may lie from the computed one. */
  readonly within?: number
}

/** How much of a weight was lost, in percent. A gain is no loss. */
interface PercentLost {
  readonly kind: 'percentLost'
  readonly label?: string
  /** Weight before, weight now, in the same unit. */
  readonly of: readonly string[]
  readonly decimals: number
  /** How far a given value may lie from the computed one. */
  readonly within?: number
}

/** Global score of the Clinical Dementia Rating, by the rules of Morris 1993. */
interface CdrGlobal {
  readonly kind: 'cdrGlobal'
  readonly label?: string
  /** Memory, then the five other boxes. */
  readonly of: readonly string[]
}

export type RatioDefinition = BodyMassIndex | PercentLost

/** A figure that follows from other values of the scale. */
export type DerivedDefinition =
  | SumOfValues
  | MeanOfValues
  | CountAtLeast
  | ShiftedValue
  | Quotient
  | Inverse
  | SumWithin
  | ByCode
  | Gnri
  | BandedReading
  | RatioDefinition
  | CdrGlobal

/** One of several ways to record the same scale. A record says which one it uses. */
export interface CodingDefinition {
  readonly meaning: string
  /** How far every item lies above the values in `items`. */
  readonly shift?: number
  readonly items?: readonly string[]
  readonly narrowed?: Readonly<Record<string, readonly number[]>>
  readonly total?: TotalDefinition
}

export interface CodingsDefinition {
  /** Null where a record must say which coding it uses. */
  readonly default: string | null
  readonly forms: Readonly<Record<string, CodingDefinition>>
}

interface SubtotalDefinition {
  readonly label: string
  readonly items: readonly string[]
}

/** A label that a total of a plain sum gets for one of its items, in place of that of its band. */
export interface BandRuleDefinition {
  /** The rule holds when any item has this value. */
  readonly anyItem: number
  /** The lowest and the highest total that the rule holds for. */
  readonly from: number
  readonly to: number
  readonly label: string
}

/** A band of a figure. Papers print "below 92" and "0.8 or less": both are written as they are, and nothing lies between two bands. */
export interface BandDefinition extends Omit<PointsBandDefinition, 'points'> {
  readonly label: string
}

export interface BandSchemeDefinition {
  readonly scheme: string
  readonly of?: string
  /** Whether it is used where a deployment chooses none. Without this, the only verified scheme is. */
  readonly default?: boolean
  /** The sex that the bands hold for. */
  readonly sex?: 'F' | 'M'
  /** The coding that the bands hold for. */
  readonly coding?: string
  /** The age in years that the bands hold for. */
  readonly age?: {
    readonly from?: number
    readonly to?: number
  }
  /** The bands hold where this item, measure or context is given. */
  readonly given?: string
  /** The bands hold where this item, measure or context is not given. */
  readonly absent?: string
  readonly verified: boolean
  readonly note?: string
  readonly bands: readonly BandDefinition[]
  readonly rules?: readonly BandRuleDefinition[]
}

/** Items that ask for action by their own value, whatever the total says. */
export interface RedFlagDefinition {
  readonly items: readonly string[]
  /** The lowest value of an item that asks for action. */
  readonly from?: number
  /** The highest value of an item that asks for action. */
  readonly to?: number
  /** One sentence of our own: what was found, and what is asked for. It is shown as it is. */
  readonly text: string
  /** Who says so. */
  readonly source: string
}

export interface SourceDefinition {
  readonly cite: string
  readonly links?: readonly string[]
}

export interface LicenceDefinition {
  readonly status: string
  /** What of the instrument lies in the file. */
  readonly shipped: string
}

export interface ScaleDefinition {
  readonly $schema?: string
  readonly id: string
  readonly version: number
  readonly title: string
  readonly purpose: string
  readonly direction: 'higherIsBetter' | 'higherIsWorse' | 'categorical'
  /** False when a number in the file could not be confirmed. */
  readonly verified: boolean
  /** What exactly is not confirmed. */
  readonly unverified?: readonly string[]
  readonly items: Readonly<Record<string, ItemDefinition>>
  readonly measures?: Readonly<Record<string, MeasureDefinition>>
  /** Items, measures and context that follow from other values when they are not given, in this order. */
  readonly computed?: Readonly<Record<string, DerivedDefinition>>
  readonly itemMeaning?: string
  readonly context?: Readonly<Record<string, ContextDefinition>>
  readonly codings?: CodingsDefinition
  readonly subtotals?: Readonly<Record<string, SubtotalDefinition>>
  readonly total: TotalDefinition
  readonly derived?: Readonly<Record<string, DerivedDefinition>>
  readonly bands?: readonly BandSchemeDefinition[]
  readonly redFlags?: readonly RedFlagDefinition[]
  /** How many days after its date an assessment counts as old; null: never. Without this, 366. */
  readonly validDays?: number | null
  readonly variants?: readonly string[]
  readonly source: SourceDefinition
  readonly licence: LicenceDefinition
  readonly loinc?: Readonly<Record<string, string>>
}
