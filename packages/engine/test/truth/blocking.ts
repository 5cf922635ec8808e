/** Which problems block, taken from the text of the contract alone: an oracle that shares no code with the engine. */
import type { Catalog } from '@patient-risk/catalog'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { ErrorItem } from '../../../../test/support/contract-records.ts'
import type { Entries } from './any-record.ts'
import { requiredInputs } from './good-record.ts'

/**
 * Blocking are a record, idx or repeated-key problem, a required value that is missing or invalid, and any sum mismatch.
 * A required total rests on the items and the coding of its scale, so these count as required with it. A value of a coding
 * that the record does not use contradicts the record itself, whichever field it is in.
 */
export function blocksBy(
  catalog: Catalog,
  model: ModelDefinition,
): (item: ErrorItem, record: Entries) => boolean {
  const required = new Set(requiredInputs(model))
  for (const name of [...required]) {
    if (!name.endsWith('_total')) continue
    const scale = catalog.scales.get(name.slice(0, -'_total'.length))
    if (scale === undefined) continue
    for (const item of [...Object.keys(scale.items), 'coding']) required.add(`${scale.id}_${item}`)
  }
  return ({ Field, ExtendError }, record) => {
    if (['record', 'idx', 'risk'].includes(Field)) return true
    if (/\((given twice|the sum of the given item values does not coincide .*)\)$/.test(ExtendError))
      return true
    if (required.has(Field)) return true
    const value = record.find(([name]) => name === Field)?.[1]
    return ExtendError.endsWith('(out of range)') && anyCoding(catalog, Field).includes(value)
  }
}

/** The values that an item may have in one or another of its scale's codings; none where there is one coding only. */
function anyCoding(catalog: Catalog, field: string): readonly unknown[] {
  const [prefix = '', item = ''] = field.split('_')
  const scale = catalog.scales.get(prefix)
  const forms = Object.values(scale?.codings?.forms ?? {})
  return forms.flatMap(({ shift }) => (scale?.items[item]?.values ?? []).map((value) => value + (shift ?? 0)))
}
