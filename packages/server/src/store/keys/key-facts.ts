/** What the audit chain knows of a key: a digest of everything that decides who may do what with it, but for its last use. */
import { digestOf } from '@patient-risk/runtime'

export interface KeyFactsRow {
  readonly id: string
  readonly name: string
  readonly digest: Uint8Array
  readonly scopes: string
  readonly limits: string
  readonly codes: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly replaces: string | null
}

const FACTS = 'id, name, digest, scopes, limits, created_at, expires_at, revoked_at, replaces'
export const SELECT_KEY_FACTS = `SELECT ${FACTS}, codes FROM keys`
/** Of a store whose keys have no codes yet, as layout 5 is made. */
export const SELECT_FIRST_FACTS = `SELECT ${FACTS}, '{}' AS codes FROM keys`

/** How a key without codes is stored. */
export const NO_CODES = '{}'

export function keyFactsOf(row: KeyFactsRow): string {
  const { id, name, digest, scopes, limits, replaces, codes } = row
  const times = [row.created_at, row.expires_at, row.revoked_at]
  const secret = Buffer.from(digest).toString('hex')
  // A key without codes has the digest that it had before keys could have them.
  const ofCodes = codes === NO_CODES ? [] : [codes]
  return digestOf(JSON.stringify([id, name, secret, scopes, limits, ...times, replaces, ...ofCodes]))
}
