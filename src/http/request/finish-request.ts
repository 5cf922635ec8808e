/** The end of a request: its answer is recorded, and has left or its caller has hung up. Then it is logged and counted, once. */
import type { Service } from '../service.ts'
import type { RequestContext } from './request-context.ts'

/** Call when the answer is recorded and about to leave: nothing more will be known of the request. */
export function finishRequest(service: Service, context: RequestContext): void {
  if (context.isFinished) return
  context.isFinished = true
  service.lifecycle.openRequests--
  // An event, not a promise: promises that wait for the end of a request keep it in memory until a full garbage collection.
  if (context.response.closed) end(service, context)
  else context.response.on('close', () => end(service, context))
}

function end({ load, log, connections, metrics }: Service, context: RequestContext): void {
  const { raw, response, id, route, deployment, key, tally, code, ended, durationMs } = context
  load.release(context)
  connections.answered(raw)
  const method = raw.method ?? ''
  const status = response.statusCode
  log.info({
    event: 'request',
    requestId: id.logged,
    method,
    route,
    status,
    durationMs,
    deployment: deployment?.name,
    key: key?.id,
    records: tally?.records,
    scored: tally?.scored,
    ended,
    code,
  })
  const name = deployment?.name ?? 'none'
  const seconds = durationMs / 1000
  metrics.count({ deployment: name, route, method, status, code: code ?? '', seconds }, tally)
  const uncomputable = tally?.uncomputable ?? 0
  if (uncomputable === 0) return
  log.error({ event: 'risk-not-computable', requestId: id.logged, deployment: name, records: uncomputable })
}
