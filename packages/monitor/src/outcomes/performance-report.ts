/** What `…/v0/performance` answers. The OpenAPI document has the same as schemas, and clients have types of it. */
import type { AlarmDirection, EventBounds, Performance } from '@patient-risk/statistics'
import type { Competing } from 'patient-risk-engine/definition'
import type { ServedState } from './outcome-store.ts'

export interface PerformanceReport extends Pick<ServedState, 'model' | 'output' | 'threshold'> {
  readonly deployment: string
  /** As headers have it: sha-256=:…:. */
  readonly digest: string
  /** What the model's card says of a death before the event. */
  readonly competing: Competing
  /** What such a death counts as in `whole`, `months` and `groups`; `unknown`: it is left out. */
  readonly deathCountsAs: 'none' | 'event' | 'unknown'
  readonly states: readonly StateSummary[]
  readonly horizonDays: number | null
  readonly reportingDays: number | null
  readonly eta: number | null
  readonly tolerance: number | null
  /** The last month in the figures. */
  readonly until: string
  readonly coverage: KindCoverage
  readonly verdict: Verdict
  readonly alarm: AlarmState
  /**
   * How many events there can have been among everybody who was scored, whatever the unknown outcomes are. Counts the judged months
   * after the last acknowledged alarm. Null where there is no such month, or where too few outcomes are known.
   */
  readonly bounds: EventBounds | null
  readonly whole: Performance | null
  /** The same with deaths first as events, where the card does not say; null where it does, or where nobody died first. */
  readonly wholeIfDeathsCount: Performance | null
  readonly months: readonly MonthReport[]
  /** Months of the calendar that have figures in two years or more. */
  readonly seasons: readonly SeasonReport[]
  readonly groups: readonly GroupReport[]
}

export interface StateSummary {
  readonly digest: string
  readonly model: string
  readonly isPresent: boolean
  /** The first and the last month in which it scored, or of which outcomes came; null where there is none. */
  readonly first: string | null
  readonly last: string | null
  readonly scored: number
  readonly outcomes: number
  readonly hasOpenAlarm: boolean
}

export interface Coverage {
  readonly scored: number
  /** Elements that were counted, of any kind. */
  readonly outcomes: number
  readonly coverage: number | null
}

export interface KindCoverage extends Coverage {
  /** Null where there are fewer than five, but not none; of a month also where that is so of another one. */
  readonly diedFirst: number | null
  readonly unknown: number
}

/**
 * One sentence, and what it follows from. `notCounted`: nobody was counted at scoring, so there is no alarm. `acknowledged`: an alarm was,
 * and no month has been judged since.
 */
export interface Verdict {
  readonly kind: 'noOutcomes' | 'notCounted' | 'tooFew' | 'alarm' | 'acknowledged' | 'quiet' | 'quietBlind'
  readonly text: string
}

/** What an alarm says in numbers, and in words. */
export interface AlarmWords {
  readonly direction: AlarmDirection
  /** The month with which the change began most probably. */
  readonly from: string
  readonly about: 'all' | 'higher'
  readonly scored: number
  readonly expected: number
  /** Events, whatever the outcomes that are not known are. */
  readonly least: number
  readonly most: number
  readonly text: string
}

export interface OpenAlarm {
  readonly digest: string
  readonly group: string | null
  /** The month by which it was raised. */
  readonly month: string
  /** When it was raised. */
  readonly since: string
  /** Null where the counts that it follows from are too few to be shown. */
  readonly finding: AlarmWords | null
}

export interface AlarmState {
  readonly limit: number | null
  readonly evidence: number | null
  readonly open: readonly OpenAlarm[]
  /** What it can and cannot notice now, in words; null where there are no bounds. */
  readonly reach: string | null
  /** The last month that does not count any more, because an alarm was acknowledged; null where none was. */
  readonly acknowledged: string | null
}

export interface MonthReport extends KindCoverage {
  readonly month: string
  readonly complete: boolean
  /** Whether it counts for the alarm: it is complete, and was counted at scoring. */
  readonly judged: boolean
  readonly figures: Performance | null
}

export interface SeasonReport {
  /** 1 to 12. */
  readonly month: number
  /** `expected` is the sum of the risks; null for answers of Yes and No. */
  readonly years: readonly {
    readonly month: string
    readonly outcomes: number
    readonly events: number
    readonly expected: number | null
  }[]
}

export interface GroupReport {
  readonly group: string | null
  /** Whether it has an alarm: months were counted at scoring with this group. */
  readonly judged: boolean
  readonly figures: Performance | null
  readonly months: readonly GroupMonth[] | null
}

export interface GroupMonth {
  readonly month: string
  readonly outcomes: number
  readonly events: number
  readonly meanPredicted: number
}

/** Why an alarm was acknowledged. The audit keeps it. */
export const ACKNOWLEDGE_REASONS = [
  'patients',
  'care',
  'outcomes',
  'inputs',
  'season',
  'recalibrated',
  'unexplained',
] as const

/** Of those who were counted at scoring with a risk of the band, at least `least` and at most `most` had the event. */
export interface EvidenceBand {
  readonly from: number
  readonly to: number
  readonly scored: number
  readonly least: number
  readonly most: number
}

/** `…/v0/local-evidence`, for keys that score: what a risk meant here, and the open alarm of the whole deployment. */
export interface LocalEvidence {
  readonly deployment: string
  readonly digest: string
  readonly until: string
  readonly horizonDays: number | null
  readonly alarm: (Pick<OpenAlarm, 'month' | 'since'> & { readonly text: string | null }) | null
  /** Rising and without gaps; from 0 to 1. Empty where too little is known. */
  readonly bands: readonly EvidenceBand[]
}
