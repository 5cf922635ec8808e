/** What the server is given for jobs with tables, which it does not read itself: patient-risk does that in a process of its own. */
import type { KeyCodes } from '@patient-risk/catalog'
import type { Observed } from '@patient-risk/monitor'
import type { TallyCounts } from 'patient-risk-engine'
import type { BodyForm, JobFile, ResultForm } from './job-facts.ts'

export interface TableTask {
  /** The folder of all jobs, and the job. */
  readonly folder: string
  readonly id: string
  readonly key: Uint8Array
  readonly deployment: string
  /** The digest of the state that answers. */
  readonly digest: string
  readonly today: number
  readonly codes: KeyCodes | null
  /** A body to be scored, or results that have another form. */
  readonly work: 'score' | 'convert'
  readonly from: BodyForm
  readonly to: ResultForm
  /** The pieces of the body, or of the results. */
  readonly pieces: readonly string[]
  /** Its own pieces begin so: no other run of the job writes them. */
  readonly prefix: string
  readonly mostRecords: number
  /** Whether the risks are counted by bin. */
  readonly countsRisks: boolean
}

export interface TableResult {
  readonly tally: TallyCounts
  readonly output: JobFile
  /** Absent where results are converted. */
  readonly errors?: JobFile
  readonly bytesOnDisk: number
  /** Bin, number and sum of the risks of each bin, where they are counted. */
  readonly riskCounts?: readonly number[]
  /** What the watch of feeds took of its rows. */
  readonly observed?: readonly Observed[]
}

export interface TableRunner {
  /** Whether tables can be read here: DuckDB is an optional package. */
  isAvailable(): boolean
  /**
   * Throws an AppError for a body that cannot be read. Says how many rows a body has and waits, before it scores them; rejects with what
   * `onCounted` throws. Ends its process when the signal says so.
   */
  run(task: TableTask, onCounted: (rows: number) => Promise<void>, signal: AbortSignal): Promise<TableResult>
}
