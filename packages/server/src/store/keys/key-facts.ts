/** What the audit chain knows of a key: a digest of everything that decides who may do what with it, but for its last use. */
import { digestOf } from '@patient-risk/runtime'

export interface KeyFactsRow {
  readonly id: string
  readonly name: string
  readonly digest: Uint8Array
  readonly scopes: string
  readonly limits: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly replaces: string | null
}

export const SELECT_KEY_FACTS = `SELECT id, name, digest, scopes, limits, created_at, expires_at, revoked_at,
  replaces FROM keys`

export function keyFactsOf(row: KeyFactsRow): string {
  const { id, name, digest, scopes, limits, replaces } = row
  const times = [row.created_at, row.expires_at, row.revoked_at]
  const secret = Buffer.from(digest).toString('hex')
  return digestOf(JSON.stringify([id, name, secret, scopes, limits, ...times, replaces]))
}
