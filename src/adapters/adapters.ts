/** The interfaces in addition to our own: FHIR for every deployment, CDS Hooks for those that ask for it. They only translate. */
import type { CdsHooksSettings } from '../config/config-schema.ts'
import type { Adapters } from '../http/service.ts'
import { cdsRoutes } from './cds-hooks/routes.ts'
import type { Mapping } from './fhir/mapping.ts'
import { fhirRoutes } from './fhir/routes.ts'
import { adapterPool } from './jobs.ts'

export function adapterRoutes(options: {
  readonly mapping: Mapping
  readonly isFhirServed: boolean
  readonly cdsHooks: CdsHooksSettings
  /** Workers for the bodies; 0 for none. They start with the first body. */
  readonly workers: number
}): Adapters {
  const { mapping, isFhirServed, cdsHooks, workers } = options
  return (app, service) => {
    const pool = adapterPool(service, mapping, workers)
    app.addHook('onClose', () => pool.close())
    if (isFhirServed) for (const deployment of service.deployments) fhirRoutes(app, service, deployment, pool)
    cdsRoutes(app, service, cdsHooks, mapping, pool)
  }
}
