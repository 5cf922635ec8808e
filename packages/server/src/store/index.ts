/** What other packages use of @patient-risk/server/store. */
export { type Differences, acceptanceEntry } from './audit/accept-changes.ts'
export { anchorOf, lossSince, readAnchor, readAnchors } from './audit/anchor.ts'
export { type AuditFacts, factsOf } from './audit/audit-facts.ts'
export { type AuditEntry, type AuditRow, type ChainPoint, contentOf, makeEntry } from './audit/audit-row.ts'
export { startUpkeep } from './audit/audit-upkeep.ts'
export type { ChainReport } from './audit/chain-verifier.ts'
export { readParts } from './audit/dropped-parts.ts'
export { visitRows } from './audit/visit-rows.ts'
export { type VerifyOptions, allRows, verifyRows, verifyStore } from './audit/verify-chain.ts'
export { type OnCall, storeClient } from './store-client.ts'
export { KeyCache } from './keys/key-cache.ts'
export { KeyManager, describeKey } from './keys/key-manager.ts'
export { DEFAULT_OVERLAP, KeyRuleError, checkName, parseLifetime } from './keys/key-rules.ts'
export { KeySecrets } from './keys/key-secrets.ts'
export { type MadeKey, type NewKey, type Reach, isUsable, makeKey } from './keys/keys.ts'
export { LAYOUT, LAYOUTS, newerLayoutText } from './layout.ts'
export {
  type OpenStore,
  PREVIOUS_SECRET_FILE,
  SECRET_FILE,
  STORE_FILE,
  type StoreOptions,
  dropPreviousSecret,
  openStore,
  renewSecret,
} from './open.ts'
export { Limiter, MemoryQuota } from './quota.ts'
export { readLayout } from './read-layout.ts'
export { type ThreadData, sqliteThread } from './sqlite/sqlite-thread.ts'
export type { StartThread } from './sqlite/start-thread.ts'
export { STEPS } from './sqlite/migrations.ts'
export { openSqliteStore } from './sqlite/sqlite-store.ts'
export type { Store, StoredKey } from './store.ts'
