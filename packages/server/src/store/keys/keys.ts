/**
 * Keys: their written form `prk_<id>_<secret><check>`, whose check detects typing errors without a look-up, and how they
 * are made. What they may be used for is in `key-scopes.ts`.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type AuditEntry, groupEntries } from '../audit/audit-row.ts'
import type { Store, StoredKey } from '../store.ts'
import type { KeySecrets } from './key-secrets.ts'

export {
  isUsable,
  ADMIN_SCOPE,
  OUTCOMES_SCOPE,
  EVERY_DEPLOYMENT,
  type Reach,
  reachOf,
  mayUse,
  mayAdminister,
  mayManage,
  maySendOutcomes,
  isWithin,
} from './key-scopes.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX_LENGTH = 4
const ID_LENGTH = 12
const ID_BYTES = 9
const SECRET_BYTES = 32
/** 256 bits need 43 digits of base 62, a checksum of 32 bits needs 6. */
const SECRET_LENGTH = 43
const CHECK_LENGTH = 6
const PATTERN = new RegExp(
  `^prk_([0-9A-Za-z]{${ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECK_LENGTH}})$`,
)

export interface ApiKey {
  readonly id: string
  readonly secret: string
}

export function newApiKey(): ApiKey {
  return {
    id: base62(random(ID_BYTES), ID_LENGTH + 1).slice(-ID_LENGTH),
    secret: base62(random(SECRET_BYTES), SECRET_LENGTH),
  }
}

export function formatApiKey({ id, secret }: ApiKey): string {
  return `prk_${id}_${secret}${checkOf(id, secret)}`
}

/** The parts of a well-formed key, or undefined when it was mistyped or is not a key. */
export function parseApiKey(text: string): ApiKey | undefined {
  const match = PATTERN.exec(text)
  if (match === null) return undefined
  // Stryker disable next-line StringLiteral: only the types need the defaults; both parts are in every match
  const [, id = '', secret = '', check] = match
  return checkOf(id, secret) === check ? { id, secret } : undefined
}

/** The text at the position of the id, for a look-up in memory. It is not checked. */
export function idOfApiKey(text: string): string {
  return text.slice(PREFIX_LENGTH, PREFIX_LENGTH + ID_LENGTH)
}

function random(bytes: number): bigint {
  return BigInt(`0x${randomBytes(bytes).toString('hex')}`)
}

function checkOf(id: string, secret: string): string {
  return base62(BigInt(crc32(`${id}_${secret}`)), CHECK_LENGTH)
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text
  return text
}

export type NewKey = Pick<StoredKey, 'name' | 'scopes' | 'expiresAt'> &
  Partial<Pick<StoredKey, 'limits' | 'codes'>>

export interface MadeKey {
  readonly id: string
  /** The written form. It is returned here, and never again. */
  readonly key: string
}

/** With `old`, the new key replaces that one, which ends at the given time. The row is stored with the key. */
export async function makeKey(
  store: Store,
  secrets: KeySecrets,
  request: NewKey,
  now: number,
  old?: { readonly id: string; readonly endsAt: number },
  rowFor?: (made: MadeKey) => AuditEntry,
): Promise<MadeKey> {
  const made = newApiKey()
  const shown: MadeKey = { id: made.id, key: formatApiKey(made) }
  const { name, scopes, expiresAt, limits = {}, codes = {} } = request
  const { inUse, fingerprint } = secrets.isRotating ? await secrets.refresh(store) : secrets
  await store.insertKey(
    {
      id: made.id,
      digest: keyDigest(inUse, made.secret),
      secretFingerprint: fingerprint,
      name,
      scopes,
      expiresAt,
      limits,
      codes,
      createdAt: now,
      revokedAt: null,
      lastUsedAt: null,
      replaces: old?.id ?? null,
    },
    old?.endsAt,
    rowFor && groupEntries([rowFor(shown)]),
  )
  return shown
}

/** Whether the secret that was shown is the one that the stored key was made with. Takes as long for a near miss as for a far one. */
export function isGenuine(secret: Uint8Array, shown: ApiKey, key: StoredKey): boolean {
  return timingSafeEqual(keyDigest(secret, shown.secret), key.digest)
}

export function keyDigest(secret: Uint8Array, keySecret: string): Uint8Array {
  return createHmac('sha256', secret).update(keySecret).digest()
}
