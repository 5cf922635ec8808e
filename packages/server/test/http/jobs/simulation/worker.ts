/** One instance of the simulation: a real JobWorker, whose calls to the store and the disk go through a gate. */
import type { Clock } from '@patient-risk/runtime'
import { JobFolder } from '../../../../src/http/jobs/job-folder.ts'
import { JobWorker } from '../../../../src/http/jobs/job-worker.ts'
import { type ServiceParts, assembleService } from '../../../../src/http/service.ts'
import type { JobLease } from '../../../../src/store/jobs/stored-job.ts'
import type { Store } from '../../../../src/store/store.ts'
import { Gate } from './gate.ts'

/** Far longer than a simulation takes: leases end by the simulated clock alone, and no worker renews one by itself. */
export const LEASE_MS = 3_600_000

/** Faults that a worker may have. The simulation must find each of them. */
export const DEFECTS = [
  'unfenced-step',
  'unfenced-end',
  'early-claim',
  'early-checkpoint',
  'lost-tally',
] as const
export type Defect = (typeof DEFECTS)[number]

export interface Instance {
  readonly gate: Gate
  readonly worker: JobWorker
}

/** How a worker keeps its lease. */
export interface LeaseStep extends JobLease {
  readonly leaseUntil: number
}

/** What the simulation checks whenever a worker has done something. */
export interface Watch {
  onClaim(job: LeaseStep, now: number): void
  onStep(step: LeaseStep, done: number | undefined): void
  onRelease(): void
  onEnd(lease: JobLease): void
}

export interface WorkerPlace {
  readonly parts: ServiceParts
  readonly folder: string
  readonly clock: Clock
  readonly watch: Watch
  readonly defect: Defect | undefined
}

export function startWorker({ parts, folder, clock, watch, defect }: WorkerPlace): Instance {
  const gate = new Gate()
  const store = gatedStore(parts.store, gate, watch, defect)
  const service = assembleService({ ...parts, clock, store })
  const settings = { folder, keepHours: 24 * 365, records: 1_000, bytesPerKey: 2 ** 30 }
  const options = { leaseMs: LEASE_MS, pollMs: 1, keepEveryMs: -1 }
  const worker = new JobWorker(service, settings, new GatedFolder(folder, gate), undefined, options)
  worker.start()
  return { gate, worker }
}

class GatedFolder extends JobFolder {
  private readonly gate: Gate

  constructor(root: string, gate: Gate) {
    super(root)
    this.gate = gate
  }

  override async write(...given: Parameters<JobFolder['write']>): Promise<number> {
    await this.gate.pass('write')
    return super.write(...given)
  }

  override async read(...given: Parameters<JobFolder['read']>): Promise<Buffer> {
    await this.gate.pass('read')
    return super.read(...given)
  }

  override async removePieces(...given: Parameters<JobFolder['removePieces']>): Promise<void> {
    await this.gate.pass('remove pieces')
    return super.removePieces(...given)
  }

  override async remove(id: string): Promise<void> {
    await this.gate.pass('remove')
    return super.remove(id)
  }
}

function gatedStore(store: Store, gate: Gate, watch: Watch, defect: Defect | undefined): Store {
  const current = async ({ id, fence }: JobLease): Promise<number> =>
    (await store.findJob(id))?.fence ?? fence
  const own: Partial<Store> = {
    async claimJob(digests, now, until, lastOwner) {
      await gate.pass('claim')
      const job = await store.claimJob(
        digests,
        defect === 'early-claim' ? now + LEASE_MS : now,
        until,
        lastOwner,
      )
      if (job !== undefined) watch.onClaim(job, now)
      if (job === undefined || job.checkpoint === null || defect !== 'lost-tally') return job
      const saved = JSON.parse(job.checkpoint) as object
      return {
        ...job,
        checkpoint: JSON.stringify({ ...saved, tally: { records: 0, scored: 0, problems: [] } }),
      }
    },
    async claimLostJob(...given) {
      await gate.pass('claim lost')
      return store.claimLostJob(...given)
    },
    async stepJob(step) {
      await gate.pass('step')
      const fence = defect === 'unfenced-step' ? await current(step) : step.fence
      const progress =
        step.progress === undefined || defect !== 'early-checkpoint'
          ? step.progress
          : { ...step.progress, checkpoint: JSON.stringify(nextPiece(step.progress.checkpoint)) }
      const isOwn = await store.stepJob({ ...step, fence, ...(progress === undefined ? {} : { progress }) })
      if (isOwn) watch.onStep(step, step.progress?.done)
      return isOwn
    },
    async endJob(end) {
      await gate.pass('end')
      const fence = defect === 'unfenced-end' ? await current(end) : end.fence
      const isOwn = await store.endJob({ ...end, fence })
      if (isOwn) watch.onEnd(end)
      return isOwn
    },
    async releaseJob(...given) {
      await gate.pass('release')
      await store.releaseJob(...given)
      watch.onRelease()
    },
    async findJob(id) {
      await gate.pass('find')
      return store.findJob(id)
    },
    async removeExpiredJobs(now) {
      await gate.pass('expire')
      return store.removeExpiredJobs(now)
    },
  }
  return new Proxy(store, {
    get(target, name) {
      const replaced = own[name as keyof Store]
      if (replaced !== undefined) return replaced
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function nextPiece(checkpoint: string): object {
  const saved = JSON.parse(checkpoint) as { readonly next: number }
  return { ...saved, next: saved.next + 1 }
}
