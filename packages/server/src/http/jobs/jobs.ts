/** Jobs of a service, where its configuration has a folder for them. */
import type { Service } from '../service.ts'
import { JobDesk } from './job-desk.ts'
import { JobFolder } from './job-folder.ts'
import { JobWorker } from './job-worker.ts'
import type { JobsOptions } from './jobs-options.ts'
import type { TableRunner } from './table-runner.ts'

export interface Jobs {
  readonly desk: JobDesk
  readonly folder: JobFolder
  readonly worker: JobWorker
  readonly runner: TableRunner | undefined
}

export async function openJobs(service: Service, { settings, runner, worker }: JobsOptions): Promise<Jobs> {
  const folder = new JobFolder(settings.folder)
  await folder.open()
  const jobWorker = new JobWorker(service, settings, folder, runner, worker)
  const desk = new JobDesk(service, settings, folder, () => jobWorker.wake())
  return { desk, folder, worker: jobWorker, runner }
}
