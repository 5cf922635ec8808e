/**
 * Whether a value fits a schema, for the keywords that our schemas of files have. Loading the schema library and compiling the shape
 * of a model takes longer than everything else about a file, so the library is asked only where this says no.
 */
type Json = Readonly<Record<string, unknown>>
type Fits = (value: unknown) => boolean

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES: Readonly<Record<string, Fits>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}
const never: Fits = () => false

const ofText =
  (holds: (text: string) => boolean): Fits =>
  (value) =>
    typeof value !== 'string' || holds(value)
const ofNumber =
  (holds: (number: number) => boolean): Fits =>
  (value) =>
    typeof value !== 'number' || holds(value)
const ofList =
  (holds: (list: readonly unknown[]) => boolean): Fits =>
  (value) =>
    !Array.isArray(value) || holds(value)
const ofObject =
  (holds: (object: Json) => boolean): Fits =>
  (value) =>
    !isObject(value) || holds(value)

/** What a keyword asks of a value. A keyword of one type of value says nothing of the others. */
const KEYWORDS: Readonly<Record<string, (limit: never, schema: Json) => Fits>> = {
  type: (name: string) => TYPES[name] ?? never,
  const: (only: unknown) => (value) => value === only,
  enum: (all: readonly unknown[]) => (value) => all.includes(value),
  anyOf: (schemas: readonly Json[]) => {
    const all = schemas.map(compileShape)
    return (value) => all.some((fits) => fits(value))
  },
  // Longer texts are counted in letters, as people see them; the library does that.
  minLength: (least: number) => ofText((text) => least <= 1 && text.length >= least),
  pattern: (pattern: string) => {
    const expression = new RegExp(pattern, 'u')
    return ofText((text) => expression.test(text))
  },
  minimum: (least: number) => ofNumber((number) => number >= least),
  maximum: (most: number) => ofNumber((number) => number <= most),
  exclusiveMinimum: (end: number) => ofNumber((number) => number > end),
  exclusiveMaximum: (end: number) => ofNumber((number) => number < end),
  multipleOf: (step: number) => ofNumber((number) => Number.isInteger(number / step)),
  items: (schema: Json) => {
    const fits = compileShape(schema)
    return ofList((list) => list.every(fits))
  },
  minItems: (least: number) => ofList((list) => list.length >= least),
  maxItems: (most: number) => ofList((list) => list.length <= most),
  uniqueItems: () => ofList((list) => new Set(list.map((each) => JSON.stringify(each))).size === list.length),
  required: (names: readonly string[]) =>
    ofObject((object) => names.every((name) => Object.hasOwn(object, name))),
  minProperties: (least: number) => ofObject((object) => Object.keys(object).length >= least),
  properties: (schemas: Readonly<Record<string, Json>>) => {
    const all = Object.entries(schemas).map(([name, schema]) => [name, compileShape(schema)] as const)
    return ofObject((object) =>
      all.every(([name, fits]) => !Object.hasOwn(object, name) || fits(object[name])),
    )
  },
  patternProperties: (schemas: Readonly<Record<string, Json>>) => {
    const all = Object.entries(schemas).map(
      ([pattern, schema]) => [new RegExp(pattern, 'u'), compileShape(schema)] as const,
    )
    return ofObject((object) =>
      Object.entries(object).every(([name, each]) =>
        all.every(([pattern, fits]) => !pattern.test(name) || fits(each)),
      ),
    )
  },
  additionalProperties: (isOpen: unknown, { properties = {}, patternProperties = {} }) => {
    const patterns = Object.keys(patternProperties as Json).map((pattern) => new RegExp(pattern, 'u'))
    const isKnown = (name: string): boolean =>
      Object.hasOwn(properties as Json, name) || patterns.some((pattern) => pattern.test(name))
    return isOpen === false ? ofObject((object) => Object.keys(object).every(isKnown)) : never
  },
}
/** Keywords for readers. */
const NOTES: ReadonlySet<string> = new Set(['$schema', '$id', 'title', 'description', 'default'])

/** False where a value does not fit, or where a keyword is not known here. */
export function compileShape(schema: object): Fits {
  const all = Object.entries(schema).flatMap(([keyword, limit]) => {
    if (NOTES.has(keyword)) return []
    return [KEYWORDS[keyword]?.(limit as never, schema as Json) ?? never]
  })
  return (value) => all.every((fits) => fits(value))
}
