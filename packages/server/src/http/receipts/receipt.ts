/**
 * Receipts: what an answer says of a patient, sealed, so that an outcome can name the answer that it belongs to and nobody can make one up.
 * A receipt is encrypted too: the serial number says how many patients are scored, and the risk of the shadow is in no answer.
 */
import type { KeyObject } from 'node:crypto'
import { openBytes, receiptKeyOf, sealBytes } from '@patient-risk/runtime'
import type { OpenedReceipt } from 'patient-risk-engine'

/** The form of receipts; another form gets another mark. */
const MARK = 'r1.'
const NAME = 'receipt'
/** Bytes of a digest that tell the states of a deployment apart. */
const DIGEST_BYTES = 8
const SERIAL_BYTES = 6
const FIRST_YEAR = 2000
const MONTHS_OF_YEAR = 12
/** Where each part begins: digest, month, serial number, risk, digest and risk of the shadow. */
const AT = { month: 8, serial: 10, units: 16, shadow: 18, shadowUnits: 26, end: 28 }

/** What is sealed for all answers of a call. */
export interface ReceiptSource {
  readonly digest: string
  /** As in 2026-11. */
  readonly month: string
  /** The digest of the model of the shadow, where there is one. */
  readonly shadow: string | undefined
}

export type SealReceipt = (serial: number, units: number, shadowUnits: number) => string

/** Risks are in ten-thousandths; 0 where the shadow gives none. */
export function receiptSealer(key: KeyObject, { digest, month, shadow }: ReceiptSource): SealReceipt {
  const bytes = Buffer.alloc(AT.end)
  markOf(digest).copy(bytes, 0)
  bytes.writeUInt16BE(monthNumber(month), AT.month)
  if (shadow !== undefined) markOf(shadow).copy(bytes, AT.shadow)
  return (serial, units, shadowUnits) => {
    bytes.writeUIntBE(serial, AT.serial, SERIAL_BYTES)
    bytes.writeUInt16BE(units, AT.units)
    bytes.writeUInt16BE(shadowUnits, AT.shadowUnits)
    return MARK + sealBytes(key, bytes, NAME).toString('base64url')
  }
}

/** What receipts are opened with. It can be sent to a worker. */
export interface ReceiptRules {
  readonly secrets: readonly Uint8Array[]
  readonly deployment: string
  /** The digests of its states. */
  readonly digests: readonly string[]
  /** The digest of the model of the present shadow. What another shadow said is left out. */
  readonly shadow: string | undefined
}

/** The returned function gives undefined for a text that none of the secrets has sealed for the deployment. */
export function receiptOpener(rules: ReceiptRules): (text: string) => OpenedReceipt | undefined {
  const keys = rules.secrets.map((secret) => receiptKeyOf(secret, rules.deployment))
  const digests = new Map(rules.digests.map((digest) => [markOf(digest).toString('hex'), digest]))
  return (text) => {
    if (!text.startsWith(MARK)) return undefined
    const sealed = Buffer.from(text.slice(MARK.length), 'base64url')
    const bytes = openByAny(keys, sealed)
    const digest = bytes && digests.get(bytes.toString('hex', 0, DIGEST_BYTES))
    if (bytes?.length !== AT.end || digest === undefined) return undefined
    const isOfShadow =
      rules.shadow !== undefined && markOf(rules.shadow).equals(bytes.subarray(AT.shadow, AT.shadowUnits))
    return {
      digest,
      month: monthText(bytes.readUInt16BE(AT.month)),
      serial: bytes.readUIntBE(AT.serial, SERIAL_BYTES),
      units: bytes.readUInt16BE(AT.units),
      shadowUnits: isOfShadow ? bytes.readUInt16BE(AT.shadowUnits) : 0,
    }
  }
}

function openByAny(keys: readonly KeyObject[], sealed: Buffer): Buffer | undefined {
  for (const key of keys) {
    try {
      return openBytes(key, sealed, NAME)
    } catch {
      // Another secret may have sealed it.
    }
  }
  return undefined
}

function markOf(digest: string): Buffer {
  return Buffer.from(digest, 'base64').subarray(0, DIGEST_BYTES)
}

function monthNumber(month: string): number {
  return (Number(month.slice(0, 4)) - FIRST_YEAR) * MONTHS_OF_YEAR + Number(month.slice(5, 7)) - 1
}

function monthText(number: number): string {
  const year = FIRST_YEAR + Math.floor(number / MONTHS_OF_YEAR)
  return `${year}-${String((number % MONTHS_OF_YEAR) + 1).padStart(2, '0')}`
}
