/** What is written down of an exchange once it is over: a line in the log, and the figures. */
import type { Asked } from '../request/request-context.ts'
import type { Figures } from '../../metrics/metrics.ts'
import type { Service } from '../service.ts'

export function noteExchange(
  { log }: Service,
  figures: Figures,
  { requestId, startedAt, facts, trace }: Asked,
  method: string,
  /** The pattern of the route, not the address: a caller may write anything into an address. */
  route: string,
  status: number,
): void {
  const { logged } = requestId
  const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000
  log.info({ event: 'request', requestId: logged, method, route, status, durationMs, ...facts })
  const deployment = String(facts['deployment'] ?? 'none')
  const code = String(facts['code'] ?? '')
  const { tally } = trace
  figures.count({ deployment, route, method, status, code, seconds: durationMs / 1000 }, tally)
  const uncomputable = tally?.uncomputable ?? 0
  if (uncomputable === 0) return
  log.error({ event: 'risk-not-computable', requestId: logged, deployment, records: uncomputable })
}
