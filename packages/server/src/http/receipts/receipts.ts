/** Which scoring calls get receipts, and how they are made: numbers are reserved first, then every result with a risk gets its own. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Deployment } from '@patient-risk/catalog'
import { monthOfDay } from '@patient-risk/monitor'
import { invalid, receiptKeyOf } from '@patient-risk/runtime'
import type { KeySecrets } from '../../store/keys/key-secrets.ts'
import type { Turns } from '../connection/turns.ts'
import { addReceipts } from './add-receipts.ts'
import { receiptSealer } from './receipt.ts'
import type { SerialNumbers } from './serial-numbers.ts'

interface ReceiptParts {
  readonly secrets: KeySecrets
  readonly serials: SerialNumbers
  readonly turns: Turns
}

/** What a body, or some lines, were answered with. */
interface Answered {
  readonly bytes: Uint8Array
  readonly risks: Iterable<number>
}

/** Whether the caller asks for receipts. Throws where there can be none, before the body is read. */
export function wantsReceipts(headers: IncomingHttpHeaders, query: unknown, deployment: Deployment): boolean {
  const { receipts } = query as { readonly receipts?: string | readonly string[] }
  if (receipts === undefined || receipts === 'false') return false
  if (receipts !== 'true') throw invalid('"receipts" takes true or false.')
  if (deployment.outcomes === undefined)
    throw invalid('The deployment takes no outcomes, so its answers have no receipts.')
  if (headers['risk-outcomes'] === 'no')
    throw invalid('With "Risk-Outcomes: no" no outcome will come of these scores, so they have no receipts.')
  return true
}

/** For calls whose answers have no receipts. */
export function refuseReceipts(query: unknown, what: string): void {
  const { receipts } = query as { readonly receipts?: string }
  if (receipts === undefined || receipts === 'false') return
  throw invalid(`${what} gives no receipts. Ask the scoring call for them.`)
}

/** The answer with receipts. `shadow` has the risks of the shadow, where there is one. */
export async function withReceipts(
  { secrets, serials, turns }: ReceiptParts,
  deployment: Deployment,
  today: number,
  { bytes, risks }: Answered,
  shadow: Iterable<number> | undefined,
): Promise<Uint8Array> {
  const units = Int16Array.from(risks)
  const count = units.reduce((sum, each) => sum + Number(each >= 0), 0)
  if (count === 0) return bytes
  const { name, digest } = deployment
  const month = monthOfDay(today)
  const shadowUnits = shadow === undefined ? undefined : Int16Array.from(shadow)
  const seal = receiptSealer(receiptKeyOf(secrets.inUse, name), {
    digest,
    month,
    shadow: shadowUnits && deployment.shadow?.model.digest,
  })
  let serial = await serials.take(name, digest, month, count)
  const receiptOf = (position: number): string =>
    seal(serial++, units[position] ?? 0, Math.max(0, shadowUnits?.[position] ?? 0))
  return addReceipts(bytes, units, receiptOf, turns)
}
