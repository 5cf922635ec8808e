/** Resources and the record that they must give, as the tables of several test files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Parameters } from '../../../src/adapters/fhir/read/submission.ts'
import { type Resource, bundle, patient, recordsOf } from './source.ts'

export interface RecordCase {
  readonly name: string
  readonly resources: readonly Resource[]
  readonly query?: Parameters
  /** Values that the record must have; null: the field is missing. */
  readonly record: Readonly<Record<string, unknown>>
}

export function checkRecords(cases: readonly RecordCase[]): void {
  for (const { name, resources, query, record } of cases) {
    test(name, () => {
      const [found] = recordsOf(bundle(patient(), ...resources), query)
      for (const [field, value] of Object.entries(record))
        assert.deepEqual(found?.record[field] ?? null, value, field)
    })
  }
}
