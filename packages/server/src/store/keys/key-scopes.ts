/** What keys may be used for: deployments, outcomes, management; and whether one still works. */
import type { StoredKey } from './stored-key.ts'

/** Whether a key is neither revoked nor expired. The time is the latest ever seen: a clock that is set back must not revive a key. */
export function isUsable({ revokedAt, expiresAt }: StoredKey, latest: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > latest)
}

/** Whether no other usable key could manage what this one does: without it nobody could over HTTP. */
export function isLastAdmin(key: StoredKey, all: readonly StoredKey[], latest: number): boolean {
  if (!mayAdminister(key) || !isUsable(key, latest)) return false
  const others = all.filter((other) => other.id !== key.id && isUsable(other, latest))
  return !others.some((other) => isWithin(reachOf(other), key))
}

export const ADMIN_SCOPE = 'admin'
/** The key may send outcomes for its deployments, and read what their counts show. */
export const OUTCOMES_SCOPE = 'outcomes'
export const EVERY_DEPLOYMENT = '*'

/** Deployments whose keys, rows and figures an administrator sees. */
export type Reach = 'all' | readonly string[]

/** What an administrator may manage: everything, or the deployments that the key names. Undefined for other keys. */
export function reachOf({ scopes }: Pick<StoredKey, 'scopes'>): Reach | undefined {
  if (!scopes.includes(ADMIN_SCOPE)) return undefined
  const deployments = deploymentsIn(scopes)
  return deployments.length === 0 || deployments.includes(EVERY_DEPLOYMENT) ? 'all' : deployments
}

/** Whether a key may use a deployment. `*` covers every deployment, and never the management calls. */
export function mayUse(key: StoredKey, deployment: string): boolean {
  return key.scopes.includes(EVERY_DEPLOYMENT) || key.scopes.includes(deployment)
}

/** Whether a key may use the management calls at all. What it sees there is its reach. */
export function mayAdminister(key: StoredKey): boolean {
  return key.scopes.includes(ADMIN_SCOPE)
}

/** Whether an administrator manages a deployment. */
export function mayManage(key: StoredKey, deployment: string): boolean {
  return isWithin(reachOf(key), { scopes: [deployment] })
}

/** Whether a key may send the outcomes of a deployment and read its figures. */
export function maySendOutcomes(key: StoredKey, deployment: string): boolean {
  return mayManage(key, deployment) || (key.scopes.includes(OUTCOMES_SCOPE) && mayUse(key, deployment))
}

function deploymentsIn(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => scope !== ADMIN_SCOPE && scope !== OUTCOMES_SCOPE)
}

/** Whether an administrator may manage all deployments of a key. Without a reach they may manage none. */
export function isWithin(reach: Reach | undefined, { scopes }: Pick<StoredKey, 'scopes'>): boolean {
  if (reach === 'all') return true
  const deployments = deploymentsIn(scopes)
  return deployments.length > 0 && deployments.every((each) => reach?.includes(each))
}
