/** What goes into the calls of the client and comes out of them. */
import type { Components } from './schema.ts'

type Schemas = Components['schemas']
export type ErrorItem = Schemas['ErrorItem']
export type Explanation = Schemas['Explanation']
export type ScaleState = Schemas['ScaleState']
export type Notice = Schemas['Notice']
export type RiskRange = Schemas['RiskRange']
export type Problem = Schemas['Problem']
export type Validity = Schemas['Validity']
/** What came true of an answer: its risk, digest and month as they were kept, or its receipt. */
export type OutcomeElement = Schemas['OutcomeElement']
export type OutcomeResult = Schemas['OutcomeResult']

type FieldValue = number | string | boolean | null | undefined

/** A record: its idx and the fields of the deployment. Null and absent are the same. */
export interface PatientRecord {
  readonly idx: number
  readonly [field: string]: FieldValue
}

/** A type of record with an idx and plain values. An interface has no index signature, so it is not a PatientRecord. */
export type Plain<R> = { readonly idx: number } & { readonly [Field in keyof R]: FieldValue }

/** `number` or `yes-no`, as the deployment answers. It decides the type of `risk`. */
export type Output = 'number' | 'yes-no'
export type Result<O extends Output> = O extends 'number' ? Schemas['ResultNumber'] : Schemas['ResultYesNo']
/** A result with what it rests on. */
export type Explained<O extends Output> = Result<O> & {
  readonly explanation: Explanation | null
  readonly scales: readonly ScaleState[]
  readonly notices: readonly Notice[]
  readonly range: RiskRange | null
}

export interface ClientOptions<O extends Output> {
  /** Where the service is, with the base path of the deployment: `https://risk.example.org/flag`. */
  readonly url: string
  readonly key: string
  readonly output: O
  /** How often a request is sent again after 429, 502, 503, 504 or a lost connection; 4 when absent. */
  readonly retries?: number
  /** For each attempt; 60,000 when absent. Streams have no time limit of the client's. */
  readonly timeoutMs?: number
  /**
   * The `deploymentDigest` of an earlier answer. Records are scored only while the deployment is in that state; otherwise a call
   * throws a DeploymentChangedError. Any state is accepted when absent.
   */
  readonly ifMatch?: string
  readonly fetch?: typeof fetch
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** At most 128 printable ASCII characters. Retries of one request reuse it. Made by the client when absent. */
  readonly requestId?: string
}

export interface ScoreOptions extends CallOptions {
  /**
   * Whether each result with a risk has a `receipt`, where the deployment takes outcomes. Keep it, and send the outcome with it in place of
   * risk, digest and month: it is counted once, however often it is sent.
   */
  readonly receipts?: boolean
}
