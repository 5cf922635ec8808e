/**
 * One encrypted file: a line that says how it is encrypted, the ciphertext, and a checksum of both. The line is authenticated
 * with the text. The checksum tells a damaged file from a wrong passphrase. Loaded on demand.
 */
import { gunzipSync, gzipSync, strFromU8, strToU8 } from 'fflate'
import { parseJson } from 'patient-risk-engine/read'
import { SavedFault } from './saved-fault.ts'

type Bytes = Uint8Array<ArrayBuffer>

const VERSION = 1
/** What OWASP recommends for PBKDF2 with SHA-256. */
const ITERATIONS = 600_000
/** A file that asks for more would block the page. */
const MOST_ITERATIONS = 2_000_000
const CHECKSUM_BYTES = 32

export async function seal(text: string, passphrase: string): Promise<readonly Bytes[]> {
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const saltText = toText(salt)
  const ivText = toText(iv)
  const parts = {
    format: 'patient-risk-list',
    version: VERSION,
    kdf: 'PBKDF2-SHA-256',
    iterations: ITERATIONS,
  }
  const line = JSON.stringify({ ...parts, cipher: 'AES-256-GCM', salt: saltText, iv: ivText })
  const header = strToU8(`${line}\n`).slice()
  const key = await keyOf(passphrase, salt, ITERATIONS)
  const cipher = { name: 'AES-GCM', iv, additionalData: header }
  const sealed = await crypto.subtle.encrypt(cipher, key, gzipSync(strToU8(text)).slice())
  const file = new Uint8Array(await new Blob([header, sealed]).arrayBuffer())
  return [file, await checksumOf(file)]
}

export async function unseal(bytes: Bytes, passphrase: string): Promise<string> {
  const file = bytes.slice(0, -CHECKSUM_BYTES)
  const isWhole = toText(await checksumOf(file)) === toText(bytes.slice(-CHECKSUM_BYTES))
  if (!isWhole) throw new SavedFault('damaged')
  const end = file.indexOf(10) + 1
  const header = file.slice(0, end)
  const known = parseJson(strFromU8(header)) as Readonly<Record<string, unknown>>
  const { version, iterations, salt, iv } = known
  if (version !== VERSION) throw new SavedFault('version')
  // No version has written fewer: someone has weakened the file.
  if (typeof iterations !== 'number' || iterations < ITERATIONS) throw new SavedFault('damaged')
  if (iterations > MOST_ITERATIONS) throw new SavedFault('version')
  const key = await keyOf(passphrase, toBytes(salt), iterations)
  const cipher = { name: 'AES-GCM', iv: toBytes(iv), additionalData: header }
  const opened = await crypto.subtle.decrypt(cipher, key, file.slice(end)).catch(() => {
    throw new SavedFault('wrong')
  })
  return strFromU8(gunzipSync(new Uint8Array(opened)))
}

/** The same letters give the same key, however a keyboard composes them. */
async function keyOf(passphrase: string, salt: Bytes, iterations: number): Promise<CryptoKey> {
  const typed = strToU8(passphrase.normalize('NFKC')).slice()
  const base = await crypto.subtle.importKey('raw', typed, 'PBKDF2', false, ['deriveKey'])
  const kdf = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations }
  return crypto.subtle.deriveKey(kdf, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

async function checksumOf(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

function toText(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes))
}

function toBytes(text: unknown): Bytes {
  return Uint8Array.from(atob(String(text)), (sign) => sign.charCodeAt(0))
}
