/** The management calls, as the page uses them. */
import { ask } from '../api.ts'
import { session } from '../session.ts'

export interface KeyInfo {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly limits?: { readonly requestsPerMinute?: number | null; readonly recordsPerMinute?: number | null }
  readonly created: string
  readonly expires: string | null
  readonly revoked: string | null
  readonly lastUsed: string | null
  readonly replaces: string | null
}

export interface MadeKey {
  readonly id: string
  readonly key: string
}

export interface NewKey {
  readonly name: string
  readonly deployments?: readonly string[]
  readonly admin?: boolean
  readonly expires?: string
}

export interface AuditFacts {
  readonly seq: number
  readonly at: string
  readonly keyId: string | null
  readonly call: string
  readonly deployment?: string | null
  readonly status?: number
  readonly code?: string
  readonly model?: string | null
  readonly records?: number
  readonly scored?: number
  readonly problems?: Readonly<Record<string, number>>
  readonly durationMs?: number
  readonly via?: string
}

/** Empty for "all". Times are ISO. */
export interface AuditFilter {
  readonly key?: string
  readonly deployment?: string
  readonly from?: string
  readonly to?: string
  readonly outcome?: '' | 'answered' | 'refused'
  readonly calls?: '' | 'scoring' | 'management'
}

export interface AuditPage {
  readonly rows: readonly AuditFacts[]
  readonly next: number | null
}

export interface Usage {
  readonly complete: boolean
  readonly keys: readonly {
    readonly keyId: string
    readonly requests: number
    readonly refused: number
    readonly records: number
    readonly scored: number
  }[]
  readonly hours: readonly {
    readonly at: string
    readonly requests: number
    readonly refused: number
    readonly records: number
    readonly scored: number
    readonly problems: Readonly<Record<string, number>>
  }[]
}

export interface Readiness {
  readonly status: string
  readonly store: boolean
  readonly deployments: readonly { readonly name: string; readonly model: string; readonly ready: boolean }[]
}

const key = (): string => session.get()?.key ?? ''

export const listKeys = (): Promise<readonly KeyInfo[]> => ask(key(), '/admin/keys')
export const makeKey = (body: NewKey): Promise<MadeKey> => ask(key(), '/admin/keys', { method: 'POST', body })
/** The old key goes on working for the overlap. */
export const rotateKey = (id: string, overlap: string): Promise<MadeKey> =>
  ask(key(), `/admin/keys/${encodeURIComponent(id)}/rotate`, { method: 'POST', body: { overlap } })
export const revokeKey = (id: string): Promise<KeyInfo> =>
  ask(key(), `/admin/keys/${encodeURIComponent(id)}/revoke`, { method: 'POST', body: {} })
export const readUsage = (hours: number): Promise<Usage> => ask(key(), `/admin/usage?hours=${hours}`)

export function readAudit(filter: AuditFilter, most: number, before: number | undefined): Promise<AuditPage> {
  const parts = new URLSearchParams({ most: String(most) })
  if (before !== undefined) parts.set('before', String(before))
  for (const [name, value] of Object.entries(filter)) if (value !== '') parts.set(name, String(value))
  return ask(key(), `/admin/audit?${parts.toString()}`)
}

/** Answers 503 with the same body when something is not ready, so the status does not decide. */
export async function readReadiness(): Promise<Readiness> {
  const response = await fetch('/health/ready', { cache: 'no-store' })
  return (await response.json()) as Readiness
}
