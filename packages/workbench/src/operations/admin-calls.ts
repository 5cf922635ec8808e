/** The management calls, as the page uses them. */
import { parseJson } from 'patient-risk-engine/read'
import { ask, callOf } from '../api.ts'
import { service } from '../service.ts'
import { session } from '../session.ts'
import type { Components } from '../../generated/schema.ts'

type Schemas = Components['schemas']

/** The OpenAPI document leaves the limits of a key open. */
export type KeyInfo = Omit<Schemas['Key'], 'limits'> & Pick<Schemas['KeyRequest'], 'limits'>
export type MadeKey = Schemas['MadeKey']
export type NewKey = Schemas['KeyRequest']
export type AuditPage = Schemas['AuditPage']
export type AuditFacts = AuditPage['rows'][number]
export type Usage = Schemas['Usage']
export type Readiness = Schemas['Ready']

/** Empty for "all". Times are ISO. */
export interface AuditFilter {
  readonly key?: string
  readonly deployment?: string
  readonly from?: string
  readonly to?: string
  readonly outcome?: '' | 'answered' | 'refused'
  readonly calls?: '' | 'scoring' | 'management'
}

const key = (): string => session.get()?.key ?? ''

export const listKeys = (): Promise<readonly KeyInfo[]> => ask(key(), '/admin/keys')
export const makeKey = (body: NewKey): Promise<MadeKey> => ask(key(), '/admin/keys', { method: 'POST', body })
/** The old key goes on working for the overlap. */
export const rotateKey = (id: string, overlap: string): Promise<MadeKey> =>
  ask(key(), `/admin/keys/${encodeURIComponent(id)}/rotate`, { method: 'POST', body: { overlap } })
export const revokeKey = (id: string): Promise<KeyInfo> =>
  ask(key(), `/admin/keys/${encodeURIComponent(id)}/revoke`, { method: 'POST', body: {} })
export const listAlarms = (): Promise<readonly Schemas['Alarm'][]> => ask(key(), '/admin/alarms')
export const readShadow = (basePath: string): Promise<Schemas['ShadowReport']> =>
  ask(key(), callOf(basePath, '/shadow'))
export const readUsage = (hours: number): Promise<Usage> => ask(key(), `/admin/usage?hours=${hours}`)

/** A call looks at some thousand rows, so pages without any row may come before those that a filter lets through. */
const MOST_CALLS = 20

/** The next page that has a row, as far as a person would wait for it. */
export async function readAudit(
  filter: AuditFilter,
  most: number,
  before: number | undefined,
): Promise<AuditPage> {
  const parts = new URLSearchParams({ most: String(most) })
  for (const [name, value] of Object.entries(filter)) if (value !== '') parts.set(name, String(value))
  let next = before
  for (let call = 1; ; call++) {
    if (next !== undefined) parts.set('before', String(next))
    const page = await ask<AuditPage>(key(), `/admin/audit?${parts.toString()}`)
    if (page.rows.length > 0 || page.next === null || call === MOST_CALLS) return page
    next = page.next
  }
}

/** Answers 503 with the same body when something is not ready, so the status does not decide. */
export async function readReadiness(): Promise<Readiness> {
  const response = await service().fetch('/health/ready', { cache: 'no-store' })
  return parseJson(await response.text()) as Readiness
}
