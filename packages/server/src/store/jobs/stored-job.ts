/** A job as the store has it. */
import type { EntryGroup } from '../audit/audit-row.ts'

export type JobState = 'waiting' | 'running' | 'done' | 'failed'

export interface StoredJob {
  /** 128 random bits. */
  readonly id: string
  readonly deployment: string
  /** The digest of the deployment that answers it, also when another state of it is served by then. */
  readonly digest: string
  /** The first key of the rotations that led to the key that submitted it. */
  readonly owner: string
  readonly keyId: string
  /** A seal of its `Idempotency-Key`; null where it has none. */
  readonly request: string | null
  /** A seal of its body and of what was asked for. */
  readonly body: string
  readonly state: JobState
  readonly createdAt: number
  readonly expiresAt: number
  /** Until then the worker that has it goes on with it, and no other takes it. */
  readonly leaseUntil: number
  /** Counts the workers that have taken it. Only the last of them may change it. */
  readonly fence: number
  /** How often it was taken since it last made progress. */
  readonly tries: number
  readonly sealedKey: Uint8Array
  /** What it takes on disk: its input, and later its results. */
  readonly bytes: number
  /** How many records it has, once that is known. */
  readonly records: number | null
  readonly done: number
  /** What was asked for, as JSON. */
  readonly facts: string
  /** How far it has come, as JSON. */
  readonly checkpoint: string | null
  /** What came of it, sealed by the key of the job. */
  readonly answer: Uint8Array | null
}

export type NewJob = Pick<
  StoredJob,
  | 'id'
  | 'deployment'
  | 'digest'
  | 'owner'
  | 'keyId'
  | 'body'
  | 'createdAt'
  | 'expiresAt'
  | 'sealedKey'
  | 'bytes'
  | 'records'
  | 'facts'
> & {
  /** Seals of its `Idempotency-Key`, the first of which is stored. The others are those by earlier secrets. */
  readonly requests: readonly string[]
  readonly room: JobRoom
  /** The audit row of the answer. It is stored with the job, and only there. */
  readonly row: EntryGroup
}

export type ListedJob = Pick<StoredJob, 'id' | 'state' | 'owner' | 'bytes'>

/** What an owner may have at a time. */
export interface JobRoom {
  readonly jobs: number
  readonly bytes: number
  /** Of all owners together. */
  readonly totalBytes: number
}

/** How a job was taken up, or why it was not: the same request came before, or there is no room. */
export type Insertion =
  | { readonly kind: 'new' }
  | { readonly kind: 'known'; readonly job: StoredJob }
  | { readonly kind: 'owner-full' }
  | { readonly kind: 'full' }

/** By which a worker shows that the job is still its own. */
export interface JobLease {
  readonly id: string
  readonly fence: number
}

export interface JobStep extends JobLease {
  readonly leaseUntil: number
  readonly expiresAt: number
  /** Where it has come further since the last step. */
  readonly progress?: { readonly done: number; readonly records: number | null; readonly checkpoint: string }
}

export interface JobEnd extends JobLease {
  readonly state: 'done' | 'failed'
  readonly expiresAt: number
  readonly bytes: number
  readonly done: number
  readonly answer: Uint8Array
  /** The audit row. It is stored where the job ends, and only there. */
  readonly row: EntryGroup
}
