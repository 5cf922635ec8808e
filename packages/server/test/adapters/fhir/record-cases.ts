/** Resources and the record that they must give, as the tables of several test files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Parameters } from '../../../src/adapters/fhir/read/body/submission.ts'
import { type Resource, bundle, patient, recordsOf } from './source.ts'
import { whyOf } from './why-of.ts'

export interface RecordCase {
  readonly name: string
  /** How the answer is derived from the resources. */
  readonly because?: string
  readonly resources: readonly Resource[]
  readonly patient?: Resource
  readonly query?: Parameters
  readonly timeZone?: string
  /** Values that the record must have; null: the field is missing. */
  readonly record: Readonly<Record<string, unknown>>
  /** What the reason of a missing field must say. */
  readonly why?: Readonly<Record<string, RegExp>>
}

export function checkRecords(cases: readonly RecordCase[]): void {
  for (const { name, resources, patient: more, query, timeZone, record, why = {} } of cases) {
    test(name, () => {
      const [found] = recordsOf(bundle(patient(more), ...resources), query, { ...(timeZone && { timeZone }) })
      for (const [field, value] of Object.entries(record))
        assert.deepEqual(found?.record[field] ?? null, value, field)
      for (const [field, words] of Object.entries(why))
        assert.match(whyOf(found?.findings.get(field)), words, field)
    })
  }
}
