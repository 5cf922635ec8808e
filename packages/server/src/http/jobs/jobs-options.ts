/** What the server is given to do jobs. */
import type { JobSettings } from '@patient-risk/catalog/config'
import type { TableRunner } from './table-runner.ts'

export interface JobsOptions {
  readonly settings: JobSettings
  /** Without it there are only JSON and NDJSON. */
  readonly runner?: TableRunner | undefined
  readonly worker?: WorkerOptions
}

/** Shorter times than usual, for tests. */
export interface WorkerOptions {
  readonly leaseMs?: number
  readonly pollMs?: number
  readonly keepEveryMs?: number
  /** After a failure that passes. */
  readonly pauseMs?: number
}
