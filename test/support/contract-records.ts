/** Deployments, records and results that the contract's tests share. */
import type { DeploymentSettings } from '@patient-risk/catalog/config'

export interface ErrorItem {
  readonly Field: string
  readonly FieldDate: string
  readonly ExtendError: string
}

export interface Result {
  readonly idx: number | null
  readonly risk: number | string | null
  readonly error_message: readonly ErrorItem[] | null
}

/** A patient whose risk is a published worked value of the default model. */
export const PATIENT = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
export const RISK = 0.2294
export const FLAG = 'Yes'

/** The default model at /, and other models, each at a path of its name. */
export const deployed = (...models: readonly string[]): readonly DeploymentSettings[] => [
  { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
  ...models.map((model) => ({ name: model, basePath: `/${model}`, model, output: 'number' as const })),
]

export const patient = (idx: unknown, more: object = {}): object => ({ idx, ...PATIENT, ...more })

export const scored = (idx: number, ...items: readonly ErrorItem[]): Result => ({
  idx,
  risk: RISK,
  error_message: items.length === 0 ? null : items,
})

export const refused = (idx: number | null, ...items: readonly ErrorItem[]): Result => ({
  idx,
  risk: null,
  error_message: items,
})

export const valueError = (
  field: string,
  item: string,
  idx: number,
  reason: string,
  date = '',
): ErrorItem => ({
  Field: field,
  FieldDate: date,
  ExtendError: `ValueError for value ${item} in idx ${idx} (${reason})`,
})

export const missing = (field: string): ErrorItem => ({
  Field: field,
  FieldDate: '',
  ExtendError: `ValueMissing for value ${field}`,
})

export const sumReason = (sum: number): string =>
  `the sum of the given item values does not coincide with the provided total, computed sum ${sum}`
