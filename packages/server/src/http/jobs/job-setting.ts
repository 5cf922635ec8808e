/** What the steps of a job share: the service, the limits of jobs, and when its worker stops. */
import type { JobSettings } from '@patient-risk/catalog/config'
import type { Service } from '../service.ts'
import type { JobFolder } from './job-folder.ts'
import type { WorkerOptions } from './jobs-options.ts'
import type { TableRunner } from './table-runner.ts'

export type WorkerParts = Pick<
  Service,
  | 'store'
  | 'secrets'
  | 'clock'
  | 'log'
  | 'metrics'
  | 'deployments'
  | 'dispatcher'
  | 'load'
  | 'feeds'
  | 'quota'
  | 'keyCache'
  | 'recorder'
>

export interface JobSetting {
  readonly service: WorkerParts
  readonly limits: Pick<JobSettings, 'folder' | 'keepHours' | 'records' | 'bytesPerKey'>
  readonly folder: JobFolder
  readonly runner: TableRunner | undefined
  readonly times: Required<WorkerOptions>
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal
}
