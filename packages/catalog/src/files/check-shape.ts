/** Compares a parsed file with the shape that it must have, and reports where it differs. */
import { createRequire } from 'node:module'
import type { TLocalizedValidationError } from 'typebox/error'
import type { FaultList } from 'patient-risk-engine/definition'

/** The keywords of a schema that lead to the schemas of its parts. */
export interface Shape {
  readonly const?: string
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly prefixItems?: readonly Shape[]
  readonly default?: unknown
}

// Most starts read only files of the package, which have been checked. The library is loaded with the first other file.
const load = createRequire(import.meta.url)

/** The schema of a kind of file. `npm run schemas` prints it. */
export function schemaOf(kind: string): Shape {
  return load(`../../../../clinical/schema/${kind}.schema.json`) as Shape
}

export function schemaLibrary(): typeof import('typebox/schema') {
  // All faults at once: the library would stop at the eighth.
  ;(load('typebox/system') as typeof import('typebox/system')).Settings.Set({ maxErrors: 10_000 })
  return load('typebox/schema') as typeof import('typebox/schema')
}

/** Whether a file has the shape of its kind; adds a fault for each place where it does not. */
export function hasShape(
  kind: string,
  { value, digest = '' }: { readonly value: unknown; readonly digest?: string },
  faults: FaultList,
): boolean {
  // `npm run schemas` checks the files of the package and lists the digests of their bytes.
  const checked = load('../../../../clinical/schema/checked.json') as Readonly<Record<string, object>>
  return Object.hasOwn(checked[kind] ?? {}, digest) || fitsSchema(schemaOf(kind), value, faults)
}

/** Compiled once for each schema: a file with a hundred trees is checked in 5 ms and not in 150. */
const compiled = new WeakMap<Shape, { readonly Check: (value: unknown) => boolean }>()

export function fitsSchema(schema: Shape, value: unknown, faults: FaultList): boolean {
  const { Compile, Errors } = schemaLibrary()
  const validator = compiled.get(schema) ?? Compile(schema)
  compiled.set(schema, validator)
  if (validator.Check(value)) return true
  const meant = narrowed(schema, value, faults)
  for (const error of Errors(meant, value)[1]) {
    // A word that is not known is reported by the object that holds it.
    if (error.keyword !== 'boolean') faults.add(error.instancePath, 'shape', ruleOf(error))
  }
  if (faults.faults.length === 0) faults.add('', 'shape', 'the file does not have the shape of its kind')
  return false
}

function ruleOf({ keyword, params, message }: TLocalizedValidationError): string {
  if (keyword === 'additionalProperties')
    return `has unknown properties: ${params.additionalProperties.join(', ')}`
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`
  return keyword === 'const' ? `must be ${JSON.stringify(params.allowedValue)}` : message
}

/** The words by which files choose a shape, such as the kind of a term. */
const CHOOSING = ['kind', 'type', 'take']

/**
 * The schema with one shape in place of each choice: the one whose word the value has. A union would report the faults of every
 * shape, although one is meant. A word that no shape has is reported here, and its value is not checked further.
 */
function narrowed(schema: Shape, value: unknown, faults: FaultList): Shape {
  const { anyOf = [], properties = {}, patternProperties = {}, required = [], items, ...rest } = schema
  const keys = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  const by = CHOOSING.find((word) => anyOf.some((shape) => wordOf(shape, word) !== undefined))
  if (by !== undefined && !anyOf.some((shape) => shape.const !== undefined && shape.const === value)) {
    const named = anyOf.filter((shape) => wordOf(shape, by) !== undefined && wordOf(shape, by) === keys[by])
    // Where several shapes have the word, their other fixed words decide.
    const fits = (shape: Shape): boolean =>
      Object.entries(shape.properties ?? {}).every(([key, { const: word = keys[key] }]) => word === keys[key])
    const chosen = named.find(fits) ?? named[0]
    if (chosen !== undefined) return narrowed(chosen, value, faults)
    const words = new Set(anyOf.flatMap((shape) => wordOf(shape, by) ?? []))
    faults.add(`/${by}`, 'shape', `must be one of ${[...words].join(', ')}`)
    return {}
  }
  // Of a number and an object, the object is meant where the file has one.
  const objects = anyOf.filter((shape) => shape.properties !== undefined)
  if (objects.length === 1 && keys === value) return narrowed(objects[0] as Shape, value, faults)
  if (items !== undefined && Array.isArray(value))
    return { ...rest, prefixItems: value.map((each, at) => narrowed(items, each, faults.at(`/${at}`))) }
  const [ofEach] = Object.values(patternProperties)
  const parts = [...new Set([...required, ...Object.keys(keys)])].flatMap((name) => {
    const part = Object.hasOwn(properties, name) ? properties[name] : ofEach
    return part === undefined ? [] : [[name, narrowed(part, keys[name], faults.at(`/${name}`))] as const]
  })
  return { ...schema, properties: { ...properties, ...Object.fromEntries(parts) } }
}

function wordOf({ properties }: Shape, by: string): string | undefined {
  return properties?.[by]?.const
}
