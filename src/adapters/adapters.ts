/** The interfaces in addition to our own: FHIR for every deployment, CDS Hooks for those that ask for it. They only translate. */
import type { CdsHooksSettings } from '../config/config-schema.ts'
import type { Adapters } from '../http/service.ts'
import { threadEntry } from '../workers/pool.ts'
import { cdsRoutes } from './cds-hooks/routes.ts'
import type { Mapping } from './fhir/mapping.ts'
import { fhirRoutes } from './fhir/routes.ts'
import { jobsOf } from './jobs.ts'

export function adapterRoutes(
  mapping: Mapping,
  isFhirServed: boolean,
  cdsHooks: CdsHooksSettings,
  timeZone?: string,
): Adapters {
  return (app, service) => {
    const run = jobsOf(service, { mapping, timeZone })
    if (isFhirServed) for (const deployment of service.deployments) fhirRoutes(app, service, deployment, run)
    cdsRoutes(app, service, cdsHooks, mapping, run)
  }
}

/** The worker that knows the jobs of the adapters and of the scoring calls. */
export function serviceWorker(
  mapping: Mapping,
  timeZone?: string,
): { readonly entry: URL; readonly data: object } {
  return { entry: threadEntry(import.meta.url, 'worker'), data: { mapping, timeZone } }
}
