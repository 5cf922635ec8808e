/** What the HTTP room needs to answer: knowledge, deployments, a store, a clock and a log; and what is made from them. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Deployment } from '../catalog/deployment.ts'
import type { ServerSettings } from '../server-settings.ts'
import { GroupCommit } from '../store/group-commit.ts'
import { KeyRing } from '../store/keys/key-cache.ts'
import { Limiter } from '../store/quota/limiter.ts'
import { type Seal, makeSeal } from '../store/audit/seal.ts'
import type { QuotaSource, Store } from '../store/store.ts'
import { type AuditDraft, entryOf } from './audit/audit-entry.ts'
import { Attempts, DEFAULT_FAILED_KEYS_PER_MINUTE } from './request/failed-attempts.ts'
import type { Clock } from '../clock.ts'
import { DriftWatch } from './scoring/drift-watch.ts'
import { type Lane, plainLane } from './scoring/worker-queue.ts'
import type { Log } from '../log/log.ts'
import type { Peers } from '../metrics/snapshot.ts'
import { TrustedProxies } from './connection/trusted-proxies.ts'

export interface ServiceParts {
  readonly catalog: Catalog
  readonly deployments: readonly Deployment[]
  readonly store: Store
  readonly secret: Uint8Array
  readonly clock: Clock
  readonly log: Log
  /** Failed keys a minute that an address may show. */
  readonly failedKeysPerMinute?: number
  /** Where several processes count them together; in the memory of this one where absent. */
  readonly failedKeysQuota?: QuotaSource
  /** How the service guards itself; the defaults where absent. */
  readonly settings?: ServerSettings
  /** Where bodies are answered; this very thread where absent. */
  readonly lane?: Lane
  /** The processes behind the same port; absent where there is but this one. */
  readonly peers?: Peers
}

export interface Service extends ServiceParts {
  readonly lane: Lane
  readonly keyRing: KeyRing
  readonly limiter: Limiter
  readonly attempts: Attempts
  readonly drift: DriftWatch
  readonly proxies: TrustedProxies
  /** Resolves when the row is durable. */
  readonly audit: GroupCommit<AuditDraft>
  /** Digests go into the audit sealed. */
  readonly seal: Seal
}

const AUDIT_GROUP = 1_000
const AUDIT_WAITING = 20_000

export function assembleService(parts: ServiceParts): Service {
  const { store, secret, clock } = parts
  const seal = makeSeal(secret)
  return {
    ...parts,
    lane: parts.lane ?? plainLane(),
    keyRing: new KeyRing(store, secret),
    seal,
    limiter: new Limiter(store),
    proxies: new TrustedProxies(parts.settings?.trustedProxies ?? []),
    drift: new DriftWatch(parts.catalog, parts.deployments),
    attempts: new Attempts(
      parts.failedKeysPerMinute ?? DEFAULT_FAILED_KEYS_PER_MINUTE,
      parts.failedKeysQuota,
    ),
    audit: new GroupCommit((drafts) => store.appendAudit(drafts.map((each) => entryOf(each, clock, seal))), {
      group: AUDIT_GROUP,
      waiting: AUDIT_WAITING,
    }),
  }
}
