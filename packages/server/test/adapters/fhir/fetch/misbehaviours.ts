/** Ways in which a FHIR server misbehaves. */
import type { Resource } from '../source.ts'
import type { FhirServer } from './fhir-server.ts'
import { open } from './set-up.ts'

export type Misbehave = FhirServer['misbehave']

export function json(body: (base: string) => Resource): Misbehave {
  return (_url, response) => {
    response.writeHead(200, { 'content-type': 'application/fhir+json' }).end(JSON.stringify(body(open.base)))
    return true
  }
}

export function onEncounters(misbehave: Misbehave): Misbehave {
  return (url, response) => url.pathname.endsWith('/Encounter') && misbehave(url, response)
}

/** An answer without an end. */
export function endless(...[, response]: Parameters<Misbehave>): true {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  const more = (): void => {
    if (!response.destroyed) response.write(chunk, () => setImmediate(more))
  }
  more()
  return true
}
