/** Takes jobs, shows them to their owners, and removes them. */
import { type Deployment, SCORING_PATH, digestText } from '@patient-risk/catalog'
import type { JobSettings } from '@patient-risk/catalog/config'
import { AppError, newDataKey, openDataKey, sealDataKey, sealOfRequest } from '@patient-risk/runtime'
import type { StoredJob } from '../../store/jobs/stored-job.ts'
import { keyCodesOf } from '../../store/keys/key-codes.ts'
import { mayManage } from '../../store/keys/keys.ts'
import { groupEntries } from '../../store/audit/audit-row.ts'
import type { StoredKey } from '../../store/store.ts'
import { renewLease } from '../request/authenticate.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Service } from '../service.ts'
import type { BodyForm, JobFacts, ResultForm } from './job-facts.ts'
import { type JobFolder, isJobId, isOfDisk, newJobId, pieceName } from './job-folder.ts'
import { receiveBody } from './receive-body.ts'

const ACCEPTED = 202
const HOUR_MS = 3_600_000
/** Bodies of jobs that arrive at a time: they fill the disk before they are counted. */
const MOST_UPLOADS = 16
const MOST_UPLOADS_OF_A_KEY = 4
const OTHER_BODY =
  'Another body, or one with other wishes, was sent with this Idempotency-Key, so no job was made. Use a new key for a new body.'

export interface JobRequest {
  readonly from: BodyForm
  readonly to: ResultForm
  readonly idempotencyKey: string | undefined
}

export interface TakenJob {
  readonly id: string
  readonly text: string
}

type DeskParts = Pick<
  Service,
  'store' | 'secrets' | 'keyCache' | 'clock' | 'recorder' | 'load' | 'turns' | 'lifecycle'
>

export class JobDesk {
  readonly settings: JobSettings
  readonly folder: JobFolder
  private readonly parts: DeskParts
  private readonly wake: () => void
  private readonly uploads = new Map<string, number>()

  constructor(parts: DeskParts, settings: JobSettings, folder: JobFolder, wake: () => void) {
    this.parts = parts
    this.settings = settings
    this.folder = folder
    this.wake = wake
  }

  /** Takes a body. A repeated request gets the job that it has already. */
  async take(context: RequestContext, deployment: Deployment, wanted: JobRequest): Promise<TakenJob> {
    const owner = await this.ownerOf(context.key as StoredKey)
    this.beginUpload(owner)
    const id = newJobId()
    const key = newDataKey()
    let isKept = false
    try {
      await this.folder.make(id)
      const { bytes, records } = this.settings
      const limits = { bytes, records, lineBytes: deployment.limits.lineBytes }
      const body = await receiveBody(this.parts, context, wanted.from, limits, (piece, number) =>
        this.folder.write(id, pieceName('in', number), key, piece),
      )
      context.bodyDigest = body.digest
      // The key may have ended while the body arrived.
      await renewLease(this.parts, context)
      await this.folder.sync(id)
      const { job, isNew } = await this.insert(context, deployment, wanted, { id, key, owner, ...body })
      isKept = isNew
      if (isNew) this.wake()
      return { id: job.id, text: runningText(job) }
    } catch (error) {
      if (isOfDisk(error))
        throw new AppError('OVERLOADED', 'The folder of the jobs cannot be written to at the moment.')
      throw error
    } finally {
      this.endUpload(owner)
      if (!isKept) await this.folder.remove(id).catch(() => undefined)
    }
  }

  /** A job that the caller may see. To all others there is none. */
  async find(context: RequestContext, deployment: Deployment, id: string): Promise<StoredJob> {
    const job = isJobId(id) ? await this.parts.store.findJob(id) : undefined
    if (job?.deployment !== deployment.name) throw noJob()
    if (job.expiresAt <= this.parts.clock.now()) throw noJob()
    const key = context.key as StoredKey
    if (!mayManage(key, deployment.name) && job.owner !== (await this.ownerOf(key))) throw noJob()
    return job
  }

  /** Ends a job and erases what it has: without its key nothing of it can be read, even where a copy of a file is left. */
  async remove({ id }: StoredJob): Promise<void> {
    if (!(await this.parts.store.removeJob(id))) throw noJob()
    await this.folder.remove(id)
  }

  /** The key of a job; undefined where none of the secrets has sealed it. */
  keyOf({ id, sealedKey }: StoredJob): Uint8Array | undefined {
    return openDataKey(this.parts.secrets.all, sealedKey, id)
  }

  private ownerOf(key: StoredKey): Promise<string> {
    return this.parts.keyCache.firstIdOf(key)
  }

  private async insert(
    context: RequestContext,
    deployment: Deployment,
    { from, to, idempotencyKey }: JobRequest,
    body: {
      readonly id: string
      readonly key: Uint8Array
      readonly owner: string
      readonly digest: string
      readonly pieces: number
      readonly records: number | null
      readonly bytes: number
    },
  ): Promise<{ readonly job: Pick<StoredJob, 'id' | 'done' | 'records'>; readonly isNew: boolean }> {
    const { store, secrets, clock, recorder } = this.parts
    const { id, owner, records, bytes, pieces } = body
    const key = context.key as StoredKey
    // Which secret is in use may have changed since the first try.
    const requests = secrets.all.map((secret) =>
      this.sealOf(secret, [owner, deployment.name, idempotencyKey]),
    )
    // Patients of another group are another body: they are counted there.
    const { scoreGroup = null } = context
    const bodies = secrets.all.map((secret) =>
      this.sealOf(secret, [owner, body.digest, from, to, scoreGroup]),
    )
    const inUse = secrets.all.indexOf(secrets.inUse)
    const now = clock.now()
    const { definition } = deployment.model
    const facts: JobFacts = {
      from,
      to,
      today: clock.today(),
      model: `${definition.id}@${definition.version}`,
      modelDigest: deployment.model.digest,
      codes: keyCodesOf(key) ?? null,
      scoreGroup,
      requestId: context.id.logged,
      pieces,
    }
    context.subject = `job ${id}`
    const text = runningText({ done: 0, records })
    const done = await store.insertJob({
      id,
      deployment: deployment.name,
      digest: deployment.digest,
      owner,
      keyId: key.id,
      requests: idempotencyKey === undefined ? [] : [requests[inUse] ?? '', ...requests],
      body: bodies[inUse] ?? '',
      createdAt: now,
      expiresAt: now + this.settings.keepHours * HOUR_MS,
      sealedKey: sealDataKey(secrets.inUse, body.key, id),
      bytes,
      records,
      facts: JSON.stringify(facts),
      room: {
        jobs: this.settings.jobsPerKey,
        bytes: this.settings.bytesPerKey,
        totalBytes: this.settings.totalBytes,
      },
      // With the job or not at all: an answer without a row is not given.
      row: groupEntries([recorder.entryOf(context, ACCEPTED, text)]),
    })
    if (done.kind === 'new') {
      context.recordedStatus = ACCEPTED
      return { job: { id, done: 0, records }, isNew: true }
    }
    if (done.kind === 'owner-full') throw new AppError('TOO_MANY_JOBS')
    if (done.kind !== 'known')
      throw new AppError('OVERLOADED', 'There is no more room for jobs at the moment. Try again later.')
    if (!bodies.includes(done.job.body)) throw new AppError('IDEMPOTENCY_KEY_REUSED', OTHER_BODY)
    context.subject = `job ${done.job.id}`
    return { job: done.job, isNew: false }
  }

  private sealOf(secret: Uint8Array, parts: readonly unknown[]): string {
    return sealOfRequest(secret, ['job', ...parts])
  }

  private beginUpload(owner: string): void {
    const own = this.uploads.get(owner) ?? 0
    const all = [...this.uploads.values()].reduce((sum, each) => sum + each, 0)
    if (own >= MOST_UPLOADS_OF_A_KEY) throw new AppError('TOO_MANY_JOBS', UPLOADS)
    if (all >= MOST_UPLOADS) throw new AppError('OVERLOADED')
    this.uploads.set(owner, own + 1)
  }

  private endUpload(owner: string): void {
    const left = (this.uploads.get(owner) ?? 1) - 1
    if (left > 0) this.uploads.set(owner, left)
    else this.uploads.delete(owner)
  }
}

const UPLOADS = `The API key sends ${MOST_UPLOADS_OF_A_KEY} jobs at the moment. Send the next one when one of them was taken.`

function noJob(): AppError {
  return new AppError('NOT_FOUND', 'There is no such job: it was deleted, has expired, or is not yours.')
}

/** What the caller gets while the job is not over. */
export function runningText({ done, records }: Pick<StoredJob, 'done' | 'records'>): string {
  return JSON.stringify({ state: 'running', done, total: records })
}

/** Where a job is; with the origin of the service where it knows that. */
export function jobAddress(origins: readonly string[], deployment: Deployment, id: string): string {
  return `${origins[0] ?? ''}${deployment.basePath}${SCORING_PATH}/jobs/${id}`
}

/** The digest of a state as answers name it. */
export function digestOfJob({ digest }: Pick<StoredJob, 'digest'>): string {
  return digestText({ digest })
}
