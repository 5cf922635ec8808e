/**
 * Sends outcomes in parts. A part that was sent before is recognised by the service, also after the page was opened again: the
 * `Idempotency-Key` follows from the file, the meaning of its columns and the place of the part.
 */
import { ask, callOf } from '../api.ts'
import { session } from '../session.ts'
import type { DeploymentSummary, ErrorItem } from '../shapes/answers.ts'
import type { Columns, OutcomeElement } from './read-outcomes.ts'

export const PART_ROWS = 1_000

export interface OutcomeAnswer {
  readonly idx: number | null
  readonly counted: boolean
  readonly error_message: readonly ErrorItem[] | null
}

/** The name of a part of a file. Undefined where the browser cannot digest: then the service goes by the body. */
export async function keyOfPart(
  bytes: Uint8Array<ArrayBuffer>,
  columns: Columns,
  deployment: string,
  from: number,
): Promise<string | undefined> {
  // Browsers digest on pages that came over HTTPS or from this machine only.
  if (!window.isSecureContext) return undefined
  const meaning = new TextEncoder().encode(JSON.stringify([deployment, columns, from, PART_ROWS]))
  const all = new Uint8Array(bytes.length + meaning.length)
  all.set(bytes)
  all.set(meaning, bytes.length)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', all))
  return `page-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

export async function sendPart(
  { basePath }: DeploymentSummary,
  elements: readonly OutcomeElement[],
  idempotencyKey: string | undefined,
): Promise<readonly OutcomeAnswer[]> {
  const call = { method: 'POST', body: elements } as const
  return ask(session.get()?.key ?? '', callOf(basePath, '/outcomes'), {
    ...call,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
}
