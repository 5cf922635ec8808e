/** What a job is asked for, how far it has come, and what came of it. The texts of it lie in the store, the last one sealed. */
import type { KeyCodes } from '@patient-risk/catalog'
import { openBytes, sealBytes } from '@patient-risk/runtime'
import type { ErrorCode } from '@patient-risk/runtime'
import { parseJson } from 'patient-risk-engine/read'
import type { StoredJob } from '../../store/jobs/stored-job.ts'

export type BodyForm = 'json' | 'ndjson' | 'csv' | 'parquet'
export type ResultForm = 'ndjson' | 'csv' | 'parquet'

export const BODY_TYPES: Readonly<Record<string, BodyForm>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
  'application/vnd.apache.parquet': 'parquet',
}

export const RESULT_TYPES: Readonly<Record<ResultForm, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
}

export function isTable(form: BodyForm | ResultForm): boolean {
  return form === 'csv' || form === 'parquet'
}

/** Everything that decides the answers is fixed when the job is taken. */
export interface JobFacts {
  readonly from: BodyForm
  readonly to: ResultForm
  /** The day that dates are judged by, YYYYMMDD. */
  readonly today: number
  /** `id@version`. */
  readonly model: string
  readonly modelDigest?: string
  /** The codes of the key that submitted it, where it has its own. */
  readonly codes: KeyCodes | null
  /** The group of the patients, empty where none is named; null where their risks are not counted. */
  readonly scoreGroup?: string | null
  /** As the log and the audit have it. */
  readonly requestId: string
  /** How many pieces its body has. */
  readonly pieces: number
}

export interface JobFile {
  readonly name: string
  readonly type: string
  /** Its records. */
  readonly count: number
  readonly bytes: number
  /** SHA-256 in base64. */
  readonly digest: string
  /** The names of its pieces, in order. */
  readonly pieces: readonly string[]
}

export interface DoneAnswer {
  readonly records: number
  readonly scored: number
  readonly output: readonly JobFile[]
  readonly error: readonly JobFile[]
}

export interface FailedAnswer {
  readonly code: ErrorCode
  readonly reason: string
}

const ANSWER = 'answer'

export function factsOf({ facts }: Pick<StoredJob, 'facts'>): JobFacts {
  return parseJson(facts) as JobFacts
}

export function sealAnswer(id: string, key: Uint8Array, answer: DoneAnswer | FailedAnswer): Buffer {
  return sealBytes(key, Buffer.from(JSON.stringify(answer)), `${id}/${ANSWER}`)
}

/** Throws where the key is not that of the job. */
export function openAnswer(
  { id, answer }: Pick<StoredJob, 'id' | 'answer'>,
  key: Uint8Array,
): DoneAnswer | FailedAnswer {
  if (answer === null) throw new Error('a job that has not ended has no answer')
  return parseJson(openBytes(key, answer, `${id}/${ANSWER}`).toString()) as DoneAnswer | FailedAnswer
}
