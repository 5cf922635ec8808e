/** What a model's file may say: its card for people, its inputs, its terms and its link. */
import type { LicenceDefinition, SourceDefinition } from './scale.ts'
import type { TermDefinition } from './term.ts'

/** How a model takes one field. Absence is a problem unless `whenAbsent` says what it means, and `why`. */
export interface InputDefinition {
  /** Narrower than the field: values below are out of range. */
  readonly from?: number
  readonly to?: number
  readonly values?: readonly string[]
  readonly meaning?: string
  /** The value that stands for absence; null where each split of a tree says where an absent value goes. */
  readonly whenAbsent?: number | boolean | string | null
  readonly why?: string
}

/** How well the model did on one set of data. */
interface FiguresDefinition {
  readonly data: string
  readonly cStatistic?: number
  readonly brier?: number
  readonly calibration?: string
  readonly source?: string
}

interface ThresholdDefinition {
  readonly risk: number
  readonly score?: number
  /** False when the paper gives no yes/no threshold and this one is ours. */
  readonly published: boolean
  readonly note: string
  readonly cost: string
}

/**
 * What a model's outcome does with death before it: it counts as no event (`none`), as the event (`event`), or ends the observation
 * (`censored`); `impossible` where death is the outcome.
 */
export type Competing = 'none' | 'event' | 'censored' | 'impossible' | 'unstated'

/** The model card: one structure for every model. */
export interface CardDefinition {
  readonly summary: string
  readonly intendedUse: string
  readonly users: string
  readonly population: string
  readonly setting: string
  readonly outcome: string
  readonly horizonDays: number
  /** What the outcome does with death before it; `unstated` where the source does not say. Absent: `unstated`. */
  readonly competing?: Competing
  readonly missingData: string
  readonly development: string
  readonly discrimination: readonly FiguresDefinition[]
  readonly calibration: string
  readonly limits: readonly string[]
  readonly conflicts?: readonly string[]
}

interface LogisticLink {
  readonly kind: 'logistic'
  readonly intercept: number
}

/** The score is the probability. */
interface IdentityLink {
  readonly kind: 'identity'
}

interface ScoreTableLink {
  readonly kind: 'scoreTable'
  /** The score of the first row. */
  readonly from: number
  /** One risk a score, in steps of one. */
  readonly risks: readonly number[]
}

interface StratumDefinition {
  readonly from: number
  readonly to: number
  readonly risk: number
  readonly events?: number
  readonly of?: number
  readonly label?: string
}

interface StrataLink {
  readonly kind: 'strata'
  readonly strata: readonly StratumDefinition[]
}

/** Risk is one minus survival, and survival is the baseline to the power of e^(rate × score). */
interface SurvivalLink {
  readonly kind: 'survival'
  /** The share without the event at the horizon when the score is 0. */
  readonly baseline: number
  /** The log hazard ratio of one point; 1 where the points are log hazards. */
  readonly rate: number
}

export type OriginalLinkDefinition = LogisticLink | IdentityLink | ScoreTableLink | StrataLink | SurvivalLink

/** Another link, recalibrated to local outcomes: its log odds times the slope, plus the intercept. */
interface RecalibratedLink {
  readonly kind: 'recalibrated'
  readonly of: OriginalLinkDefinition
  readonly intercept: number
  readonly slope: number
}

/** How the sum of the points becomes a probability. */
export type LinkDefinition = OriginalLinkDefinition | RecalibratedLink

interface NumberProfile {
  /** Where one bin ends and the next one starts: a bin holds its lower cut, not its upper one. */
  readonly cuts: readonly number[]
  /** One more than cuts, of the rows with a value. */
  readonly shares: readonly number[]
  readonly missing: number
  /** The 1st percentile of the values: usual values begin here. */
  readonly p01?: number
  /** The median: the value of a typical patient. */
  readonly p50?: number
  /** The 99th percentile of the values: usual values end here. */
  readonly p99?: number
  /** The lowest value of the data, where it may be published. */
  readonly from?: number
  /** The highest value of the data, where it may be published. */
  readonly to?: number
}

interface CodeProfile {
  /** The share of each code, or of true and false. */
  readonly codes: Readonly<Record<string, number>>
  readonly missing: number
}

/** How the inputs and the risk were distributed in the data that a model comes from: what drift is measured against. */
export interface ProfileDefinition {
  /** The data that these shares come from. */
  readonly data: string
  readonly rows: number
  readonly inputs: Readonly<Record<string, NumberProfile | CodeProfile>>
  readonly risk: {
    readonly cuts: readonly number[]
    readonly shares: readonly number[]
  }
  readonly flagged?: {
    readonly threshold: number
    readonly share: number
  }
}

/** How well the data determine the coefficients of a logistic model: what the sampling interval of a risk is worked out from. */
interface EstimatesDefinition {
  /** The columns of the regression, each a term with a coefficient or points of 1. */
  readonly columns: readonly TermDefinition[]
  /** Lower triangle of the covariance of the intercept, which comes first, and of the coefficient of each column. */
  readonly covariance: readonly (readonly number[])[]
}

export interface ModelDefinition {
  readonly $schema?: string
  readonly id: string
  readonly version: string
  readonly title: string
  readonly card: CardDefinition
  /** The scales that the inputs come from, and their versions. */
  readonly scales?: Readonly<Record<string, number>>
  readonly inputs: Readonly<Record<string, InputDefinition>>
  readonly terms: readonly TermDefinition[]
  readonly link: LinkDefinition
  readonly threshold?: ThresholdDefinition
  readonly profile?: ProfileDefinition
  readonly estimates?: EstimatesDefinition
  readonly source: SourceDefinition
  readonly licence: LicenceDefinition
}
