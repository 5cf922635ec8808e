/** What the field catalogue says of each scale. */
import type { ScaleDefinition } from '../definition/scale.ts'

export interface ScaleSummary {
  readonly id: string
  readonly version: number
  readonly title: string
  readonly purpose: string
  readonly direction: string
  readonly verified: boolean
  /** How the total follows from the items, and the other forms in which the scale may be written. */
  readonly total: ScaleDefinition['total']
  readonly codings?: ScaleDefinition['codings']
  readonly bands: ScaleDefinition['bands']
  readonly source: string
  readonly licence: string
}

export function summaryOf(scale: ScaleDefinition): ScaleSummary {
  const { id, version, title, purpose, direction, verified, total, codings, bands, source, licence } = scale
  return {
    id,
    version,
    title,
    purpose,
    direction,
    verified,
    total,
    ...(codings === undefined ? {} : { codings }),
    bands,
    source: source.cite,
    licence: licence.status,
  }
}
