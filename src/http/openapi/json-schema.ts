/** JSON as a type, and the small parts that schemas of the OpenAPI document are put together from. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonRecord
/** A property that is undefined is not written. */
export interface JsonRecord {
  readonly [key: string]: JsonValue | undefined
}

export const TEXT: JsonRecord = { type: 'string' }
export const NUMBER: JsonRecord = { type: 'number' }
export const FLAG: JsonRecord = { type: 'boolean' }
export const OBJECT: JsonRecord = { type: 'object' }
export const COUNT: JsonRecord = { type: 'integer', minimum: 0 }
export const TIME: JsonRecord = { type: 'string', format: 'date-time' }

export const ref = (schema: string): JsonRecord => ({ $ref: `#/components/schemas/${schema}` })
export const orNull = (type: string): JsonRecord => ({ type: [type, 'null'] })
export const about = (schema: JsonRecord, description: string): JsonRecord => ({ ...schema, description })
export const list = (items: JsonRecord): JsonRecord => ({ type: 'array', items })
/** An object whose keys are not known beforehand. */
export const mapOf = (values: JsonRecord): JsonRecord => ({ type: 'object', additionalProperties: values })
/** The same schema for several properties. */
export const each = (schema: JsonRecord, ...names: readonly string[]): JsonRecord =>
  Object.fromEntries(names.map((name) => [name, schema]))

/** An object with exactly these properties. */
export function closed(required: JsonRecord, optional: JsonRecord = {}): JsonRecord {
  const properties = { ...required, ...optional }
  return { type: 'object', additionalProperties: false, required: Object.keys(required), properties }
}
