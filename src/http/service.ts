/** What the HTTP room needs to answer: knowledge, deployments, keys, a clock and a log. */
import type { Logger } from 'pino'
import type { Catalog } from '../catalog/catalog.ts'
import type { Deployment } from '../catalog/deployment.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from './clock.ts'

export interface Service {
  readonly catalog: Catalog
  readonly deployments: readonly Deployment[]
  readonly store: Store
  readonly secret: Uint8Array
  readonly clock: Clock
  readonly log: Logger
}
