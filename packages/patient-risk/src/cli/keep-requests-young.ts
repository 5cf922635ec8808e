import { setFlagsFromString } from 'node:v8'

/**
 * Keeps what belongs to a request among the young objects of V8. While a busy service starts, some requests outlive a collection of these,
 * and V8 then makes certain objects of every later request in its old generation. Everything else of the request can be reached from them,
 * so all of it would stay until the whole heap is collected; docs/decisions/72-requests-stay-young.md has the figures. Call it before
 * threads start: their compiled code is kept for the flags that it was compiled with.
 */
export function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
