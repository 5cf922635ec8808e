/** The interfaces in addition to our own: FHIR for every deployment, CDS Hooks for those that ask for it. They only translate. */
import type { CdsHooksSettings } from '@patient-risk/catalog/config'
import type { Adapters } from '../http/service.ts'
import { threadEntry } from '@patient-risk/runtime'
import { cdsRoutes } from './cds-hooks/routes.ts'
import { Fetcher } from './fhir/fetch/fetcher.ts'
import { searchesFor } from './fhir/fetch/searches.ts'
import type { Mapping } from '@patient-risk/catalog'
import { wantedBy } from './fhir/read/read-patient.ts'
import { fhirRoutes } from './fhir/routes.ts'
import { jobsOf } from './jobs.ts'

/** Where FHIR servers fetch the public keys of this service. */
const KEYS_PATH = '/.well-known/jwks.json'

export function adapterRoutes(
  mapping: Mapping,
  isFhirServed: boolean,
  cdsHooks: CdsHooksSettings,
  fetcher = new Fetcher(),
  timeZone?: string,
): Adapters {
  const keys = fetcher.publicKeys
  return (app, service) => {
    const run = jobsOf(service, { mapping, timeZone })
    if (keys.length > 0)
      app.get(KEYS_PATH, (_request, reply) => reply.header('cache-control', 'max-age=300').send({ keys }))
    for (const deployment of isFhirServed ? service.deployments : []) {
      const wanted = wantedBy(deployment.model.definition, service.catalog.definitions)
      fhirRoutes(app, service, deployment, searchesFor(wanted, mapping), run, fetcher, mapping)
    }
    cdsRoutes(app, service, cdsHooks, mapping, run, fetcher)
  }
}

/** The worker that knows the jobs of the adapters and of the scoring calls. */
export function serviceWorker(
  mapping: Mapping,
  timeZone?: string,
): { readonly entry: URL; readonly data: object } {
  return { entry: threadEntry(import.meta.url, 'worker'), data: { mapping, timeZone } }
}
