/** One run of a command, with what stays of it when it has ended. */
import type { RunReport, ScoreRun } from '@patient-risk/data/bulk'

export interface Job {
  readonly run: Pick<
    ScoreRun,
    'inputs' | 'output' | 'to' | 'compression' | 'errors' | 'errorsTo' | 'rowChanges'
  >
  /** Does the work. With `--output-dir` it also notes what is done, so that another run leaves it out. */
  withState(work: () => Promise<RunReport>): Promise<RunReport>
}
