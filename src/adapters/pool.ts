/** Runs the jobs of the adapters in workers, which start with the first job. Without workers they run in this thread. */
import { Worker } from 'node:worker_threads'
import type { Catalog } from '../catalog/catalog.ts'
import type { Deployment } from '../catalog/deployment.ts'
import { packDeployments } from '../catalog/portable.ts'
import { AppError } from '../errors.ts'
import { threadEntry } from '../workers/entry.ts'
import { ThreadPool } from '../workers/pool.ts'
import type { Mapping } from './fhir/mapping.ts'
import { type AdapterJob, type JobAnswer, type JobData, jobRunner } from './jobs.ts'

export interface AdapterPool {
  /** Throws what the job was refused for. The body must not be used again. */
  run(job: AdapterJob): Promise<Extract<JobAnswer, { bytes: Uint8Array }>>
  close(): Promise<void>
}

const WAITING_PER_WORKER = 16

export function adapterPool(
  catalog: Catalog,
  deployments: readonly Deployment[],
  mapping: Mapping,
  workers: number,
): AdapterPool {
  const data: JobData = { deployments: packDeployments(catalog, deployments), mapping }
  let pool: ThreadPool | undefined
  let inPlace: ReturnType<typeof jobRunner> | undefined
  const answer = (job: AdapterJob): Promise<JobAnswer> => {
    if (workers === 0) {
      inPlace ??= jobRunner(data)
      return inPlace(job)
    }
    pool ??= new ThreadPool({
      size: workers,
      maxWaiting: workers * WAITING_PER_WORKER,
      start: () => new Worker(threadEntry(import.meta.url, 'worker'), { workerData: data, env: {} }),
    })
    return pool.run<JobAnswer>(job)
  }
  return {
    async run(job) {
      const given = await answer(job)
      if ('refused' in given) throw new AppError(given.refused, given.detail)
      return given
    },
    close: () => pool?.close() ?? Promise.resolve(),
  }
}
