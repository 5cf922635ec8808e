/** A key as the store has it. */
import type { Codes } from 'patient-risk-engine'

/** Limits of a key's own. Undefined leaves a limit to the deployment, null lifts it. */
export interface KeyLimits {
  readonly requestsPerMinute?: number | null | undefined
  readonly recordsPerMinute?: number | null | undefined
}

export interface StoredKey {
  readonly id: string
  readonly name: string
  /** HMAC-SHA-256 of the secret; the secret itself is never stored. */
  readonly digest: Uint8Array
  /** Which secret of the server the digest was made with. */
  readonly secretFingerprint: string
  /** Deployments that the key may use, and `admin`; `*` stands for every deployment. */
  readonly scopes: readonly string[]
  readonly limits: KeyLimits
  /** What the codes of its sender mean, by field, in place of those of the deployment; empty where it has none. */
  readonly codes: Codes
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** To the minute. */
  readonly lastUsedAt: number | null
  /** The key that this one was made to replace. */
  readonly replaces: string | null
}
