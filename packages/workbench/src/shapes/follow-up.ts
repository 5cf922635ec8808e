/** What `learn validate --time` found. It writes a file that no call answers, so the OpenAPI document does not describe it. */
import type { Estimate, Figure, Report, Span } from './report.ts'

export interface FollowUpReport {
  readonly kind: 'follow-up'
  readonly made: string
  readonly model: {
    readonly id: string
    readonly version: string
    readonly title: string
    readonly horizonDays: number
  }
  readonly data: Report['data']
  readonly patients: number
  readonly readings: readonly FollowUpReading[]
  readonly assumption: string
  readonly warnings: readonly string[]
}

export interface FollowUpReading extends FollowUpMeans {
  readonly deathIs: 'none' | 'censored' | 'event' | 'impossible'
  /** What a death before the event counts as, in a sentence. */
  readonly meaning: string
  readonly meanRiskIs: 'fits' | 'tooLow' | 'tooHigh'
  readonly verdict: string
  readonly followed: Followed
  readonly brier: { readonly value: Figure; readonly constant: Figure; readonly scaled: Figure }
  readonly inTheLarge: Estimate
  readonly intercept: Estimate
  readonly slope: Estimate
  readonly area: { readonly value: Figure; readonly eventFree: Figure }
  readonly concordance: { readonly harrell: Figure; readonly uno: Figure; readonly wolbers: Figure }
  readonly groups: readonly FollowUpGroup[]
  readonly parts: readonly FollowUpPart[]
  readonly intervals?: Readonly<Record<FollowUpMeasure, Span>> & {
    readonly samples: number
    readonly seed: number
  }
}

export type FollowUpMeasure =
  | 'observed'
  | 'ratio'
  | 'brier'
  | 'scaledBrier'
  | 'inTheLarge'
  | 'intercept'
  | 'slope'
  | 'area'
  | 'eventFreeArea'
  | 'harrell'
  | 'uno'
  | 'wolbers'

interface FollowUpMeans {
  readonly meanRisk: Figure
  readonly observed: Estimate
  readonly ratio: Estimate
}

interface Followed {
  readonly events: number
  readonly diedFirst: number
  readonly censored: number
  readonly followed: number
}

export interface FollowUpGroup extends FollowUpMeans, Followed {
  readonly rows: number
  readonly lowest: number
  readonly highest: number
}

export interface FollowUpPart extends Pick<Followed, 'events' | 'diedFirst'> {
  readonly by: string
  readonly level: string
  readonly rows: number
  readonly figures?: FollowUpMeans
}
