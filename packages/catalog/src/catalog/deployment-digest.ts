/** The digest of a deployment: two deployments with the same digest give the same answer to the same record on the same day. */
import type { DeploymentSettings } from '../config/config-schema.ts'
import { digestOf } from '@patient-risk/runtime'
import type { Codes } from 'patient-risk-engine'

/**
 * The settings that decide an answer, as a configuration writes them. A setting at its default is absent. They are part of the
 * digest, and a row of the audit holds them, so that a replay can rebuild the deployment.
 */
export type DecidingSettings = Readonly<
  Pick<
    DeploymentSettings,
    'output' | 'threshold' | 'unknownFields' | 'units' | 'codes' | 'bands' | 'assessmentDays'
  >
> & { readonly keysPerRecord: number }

/** Everything that decides an answer. Limits on requests and the name of a deployment do not. */
export interface Deciding {
  /** The digest of the model's file. */
  readonly model: string
  /** The digests of the files that every deployment reads, in order. */
  readonly shared: readonly string[]
  readonly settings: DecidingSettings
  /** Decides what day it is. */
  readonly timeZone: string
}

/** SHA-256 in base64. Neither the order of keys nor absent members change it. */
export function deploymentDigest(deciding: Deciding): string {
  return digestOf(JSON.stringify(deciding, sortedKeys))
}

/** The same of the codes of a key. */
export function codesDigest(codes: Codes): string {
  return digestOf(JSON.stringify(codes, sortedKeys))
}

/** The name of a time zone in its usual form; of the machine's own where none is given. */
export function zoneName(timeZone: string | undefined): string {
  const options = timeZone === undefined ? {} : { timeZone }
  return new Intl.DateTimeFormat('en', options).resolvedOptions().timeZone
}

/** For JSON.stringify: the order of keys does not count. */
export function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // By UTF-16 code units, as in RFC 8785: the same on every machine.
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** How headers and descriptions write the digest of a deployment. */
export const digestText = ({ digest }: { readonly digest: string }): string => `sha-256=:${digest}:`
