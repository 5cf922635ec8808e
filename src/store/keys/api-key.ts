/** The written form of an API key: `prk_<id>_<secret><check>`. A mistyped key is noticed without a look-up. */
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

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
    id: base62(randomBytes(ID_BYTES), ID_LENGTH + 1).slice(-ID_LENGTH),
    secret: base62(randomBytes(SECRET_BYTES), SECRET_LENGTH),
  }
}

export function formatApiKey({ id, secret }: ApiKey): string {
  return `prk_${id}_${secret}${checkOf(id, secret)}`
}

/** The parts of a well-formed key, or undefined when it was mistyped or is not a key. */
export function parseApiKey(text: string): ApiKey | undefined {
  const match = PATTERN.exec(text)
  if (match === null) return undefined
  const [, id = '', secret = '', check] = match
  return checkOf(id, secret) === check ? { id, secret } : undefined
}

/** What stands where a key has its id, for a look in memory. Whether it is a key is not said. */
export function idOfApiKey(text: string): string {
  return text.slice(PREFIX_LENGTH, PREFIX_LENGTH + ID_LENGTH)
}

function checkOf(id: string, secret: string): string {
  const sum = crc32(`${id}_${secret}`)
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(sum)
  return base62(bytes, CHECK_LENGTH)
}

function base62(bytes: Uint8Array, length: number): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  while (text.length < length) {
    text = (DIGITS[Number(number % 62n)] as string) + text
    number /= 62n
  }
  return text
}
