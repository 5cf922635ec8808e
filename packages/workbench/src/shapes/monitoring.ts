/** What `learn monitor` found, month by month. It writes a file that no call answers, so the OpenAPI document does not describe it. */
import type { Figure } from './report.ts'

export interface Monitoring {
  readonly expectedC: number
  readonly months: readonly MonitoredMonth[]
  /** What is out of control, in sentences. */
  readonly alarms: readonly string[]
}

interface MonitoredMonth {
  readonly month: string
  readonly rows: number
  readonly events: number
  readonly meanPredicted: Figure
  readonly observed: Figure
  readonly inTheLarge?: Limited
  readonly cStatistic?: Limited
  readonly evidence: Figure
}

/** A figure with its control limits. */
export interface Limited {
  readonly value: Figure
  readonly low: Figure
  readonly high: Figure
  readonly isOut: boolean
}
