/** One deployment as JSON, to be scored with anywhere: `patient-risk pack` prints it, `compile` reads it. */
import type { ContradictionsDefinition } from './definition/contradictions.ts'
import type { FieldDefinition, UnitsDefinition } from './definition/field.ts'
import type { ModelDefinition } from './definition/model.ts'
import type { ScaleDefinition } from './definition/scale.ts'
import type { Definitions } from './plan/plan.ts'
import { isObject } from './read/untrusted.ts'
import type { ScorerOptions } from './scorer.ts'

const FORMAT = 'patient-risk-deployment'
/** Raised when a pack of an earlier version can no longer be read as it was meant. */
const FORMAT_VERSION = 1

/** A deployment with everything that decides its answers. */
export interface DeploymentParts {
  readonly name: string
  /** SHA-256, base64, of everything that decides an answer: that of the service with the same configuration. */
  readonly digest: string
  /** The time zone that says which day is today. */
  readonly timeZone: string
  readonly options: ScorerOptions
  readonly model: ModelDefinition
  readonly definitions: Definitions
}

export interface PackedDeployment extends Omit<DeploymentParts, 'definitions'> {
  readonly format: typeof FORMAT
  readonly formatVersion: typeof FORMAT_VERSION
  /** Of everything below. The digest is that of the files, and cannot be computed from what is here. */
  readonly checksum: string
  readonly definitions: PackedDefinitions
}

interface PackedDefinitions {
  readonly fields: Readonly<Record<string, FieldDefinition>>
  readonly scales: readonly ScaleDefinition[]
  readonly units: Readonly<Record<string, UnitsDefinition>>
  readonly contradictions: readonly ContradictionsDefinition[]
}

/** A text that is no packed deployment, or one of another version, or changed since it was packed. */
export class PackError extends Error {
  override readonly name = 'PackError'
}

export function pack({ definitions, ...parts }: DeploymentParts): PackedDeployment {
  const { fields, scales, units = new Map<string, never>(), contradictions = [] } = definitions
  const content = {
    name: parts.name,
    digest: parts.digest,
    timeZone: parts.timeZone,
    options: parts.options,
    model: parts.model,
    definitions: {
      fields: Object.fromEntries(fields),
      scales,
      units: Object.fromEntries(units),
      contradictions,
    },
  }
  return { format: FORMAT, formatVersion: FORMAT_VERSION, checksum: checksumOf(content), ...content }
}

/** Throws a PackError for everything that `pack` has not made. */
export function unpack(packed: unknown): DeploymentParts {
  if (!isObject(packed) || packed['format'] !== FORMAT)
    throw new PackError(
      `This is not a packed deployment: "format" is not "${FORMAT}". Make one with: patient-risk pack NAME`,
    )
  const { formatVersion, checksum, ...rest } = packed
  const content: Record<string, unknown> = { ...rest }
  delete content['format']
  if (formatVersion !== FORMAT_VERSION)
    throw new PackError(
      `This packed deployment has another format version than ${FORMAT_VERSION}, which this engine reads. ` +
        'Pack it again with the patient-risk of the same version as the engine.',
    )
  if (checksum !== checksumOf(content))
    throw new PackError(
      'This packed deployment was changed or is incomplete: its checksum does not fit. Pack it again; do not edit it.',
    )
  const { definitions, ...parts } = content as unknown as PackedDeployment
  return {
    ...parts,
    definitions: {
      ...definitions,
      fields: new Map(Object.entries(definitions.fields)),
      units: new Map(Object.entries(definitions.units)),
    },
  }
}

/**
 * CRC-32 of the content as JSON, in hexadecimal. It notices a damaged file and an edit by hand, after which the digest would be
 * that of another model. It is no proof against somebody who wants to deceive.
 */
export function checksumOf(content: object): string {
  let crc = 0xffffffff
  for (const byte of new TextEncoder().encode(JSON.stringify(content))) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (~crc >>> 0).toString(16).padStart(8, '0')
}
