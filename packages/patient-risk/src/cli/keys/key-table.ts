/** Keys as a table for people. */
import type { StoredKey } from '@patient-risk/server/store'
import { textTable } from '../command.ts'

export function keyTable(keys: readonly StoredKey[]): string {
  return textTable(
    ['ID', 'NAME', 'MAY USE', 'CODES OF', 'MADE', 'LAST USED', 'EXPIRES'],
    keys.map((key) => [
      key.id,
      key.name,
      key.scopes.map((scope) => (scope === '*' ? 'all deployments' : scope)).join(', '),
      Object.keys(key.codes).join(', ') || '-',
      minute(key.createdAt),
      key.lastUsedAt === null ? 'never' : minute(key.lastUsedAt),
      endOf(key),
    ]),
  )
}

function endOf({ revokedAt, expiresAt }: StoredKey): string {
  if (revokedAt !== null) return 'revoked'
  return expiresAt === null ? 'never' : minute(expiresAt)
}

function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}
