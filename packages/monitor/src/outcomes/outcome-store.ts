/** What came true of the risks, as counts. Nothing else of an outcome is stored. */

/** A state of a deployment that has given answers. */
export interface ServedState {
  readonly deployment: string
  readonly digest: string
  readonly model: string
  readonly output: 'number' | 'yes-no'
  readonly threshold: number | null
  /** The mean log odds of the development data; null where the model has no profile. */
  readonly centre: number | null
  /** Of what its numbers follow from: states with the same one share their evidence. Empty where it is not known. */
  readonly riskDigest: string
}

/** Outcomes that are counted together. */
export interface OutcomeCell {
  readonly digest: string
  /** As in 2026-11. */
  readonly month: string
  /** Empty where none was given. */
  readonly group: string
  /** A Yes or No has the bin −1. */
  readonly bin: number
  readonly flagged: number
  /** 0: no event, 1: the event, 2: died first, 3: unknown. */
  readonly outcome: number
  readonly number: number
  /** The sum of their risks in ten-thousandths. */
  readonly units: number
}

export type CellColumn = 'month' | 'group' | 'bin' | 'flagged'

/** Counts that were added up over the columns that are absent. */
export interface CountedCell extends Pick<OutcomeCell, 'outcome' | 'number' | 'units'> {
  readonly month?: string
  readonly group?: string
  readonly bin?: number
  readonly flagged?: number
}

export interface ScoredMonth {
  readonly month: string
  readonly scored: number
}

export type ScoredColumn = 'month' | 'group' | 'bin'

/** Patients that were counted when they were scored, added up over the columns that are absent. A No has the bin −1, a Yes −2. */
export interface ScoredCount {
  readonly number: number
  /** The sum of their risks in ten-thousandths. */
  readonly units: number
  readonly month?: string
  readonly group?: string
  readonly bin?: number
}

/** Outcomes that came with the risk of the shadow too. */
export interface ShadowCounts {
  /** By the risk of one of the two models; none by that of an answer of Yes or No. */
  readonly risks: readonly (Pick<OutcomeCell, 'month' | 'bin' | 'outcome' | 'number' | 'units'> & {
    readonly isShadow: boolean
  })[]
  /** Whom each of the two models flags. */
  readonly flags: readonly {
    readonly month: string
    readonly flagged: number
    readonly shadowFlagged: number
    readonly outcome: number
    readonly number: number
  }[]
}

/** Where the counts are. */
export interface OutcomeStore {
  noteStates(states: readonly ServedState[]): Promise<void>
  readStates(deployment: string): Promise<readonly ServedState[]>
  /** The counts of a state from the first to the last month, of one group where it is named, added up over columns that are not named. */
  readOutcomes(
    deployment: string,
    digest: string,
    months: readonly [first: string, last: string],
    columns: readonly CellColumn[],
    group?: string,
  ): Promise<readonly CountedCell[]>
  /** Patients that a state has scored, by month. */
  readScored(deployment: string, digest: string): Promise<readonly ScoredMonth[]>
  /** Those that were counted with their risks, where outcomes are configured. */
  readScoredRisks(
    deployment: string,
    digest: string,
    months: readonly [first: string, last: string],
    columns: readonly ScoredColumn[],
    group?: string,
  ): Promise<readonly ScoredCount[]>
}
