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

export function orNull(type: string): JsonRecord {
  return { type: [type, 'null'] }
}

export function about(schema: JsonRecord, description: string): JsonRecord {
  return { ...schema, description }
}

export function list(items: JsonRecord): JsonRecord {
  return { type: 'array', items }
}

/** The same schema for several properties. */
export function each(schema: JsonRecord, ...names: readonly string[]): JsonRecord {
  return Object.fromEntries(names.map((name) => [name, schema]))
}

/** An object whose keys are not known beforehand. */
export function mapOf(values: JsonRecord): JsonRecord {
  return { type: 'object', additionalProperties: values }
}

/** An object with exactly these properties. */
export function closed(required: JsonRecord, optional: JsonRecord = {}): JsonRecord {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required),
    properties: { ...required, ...optional },
  }
}

export function ref(schema: string): JsonRecord {
  return { $ref: `#/components/schemas/${schema}` }
}
