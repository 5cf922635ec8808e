/** Compares a parsed file with the shape that it must have, and reports where it differs. */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Value } from 'typebox/value'
import type { FaultList } from '../fault.ts'

/** A place in a file whose shape is chosen by a word in it, such as the kind of a term. */
interface Choice {
  readonly path: string
  readonly value: unknown
  /** The property that chooses, and the shape for each of its words. */
  readonly by: string
  readonly shapes: readonly Shape[]
}

/** The keywords of a schema that lead to the schemas of its parts. */
interface Shape extends TSchema {
  readonly const?: string
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
}

/** Compiled shapes: checking all clinical files takes a third of the time, with the compilation. */
const validators = new WeakMap<TSchema, Validator>()

/** Whether the value has the shape; adds a fault for each place where it does not. */
export function hasShape(schema: TSchema, value: unknown, faults: FaultList): boolean {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  if (validator.Check(value)) return true
  const choices = [...choicesIn(schema, value, '')]
  report(schema, value, '', choices, faults)
  for (const choice of choices) {
    const { path, by, shapes } = choice
    const shape = chosenOf(choice)
    const inner = choices.filter((other) => other.path.startsWith(`${path}/`))
    if (shape !== undefined) report(shape, choice.value, path, inner, faults)
    else {
      const words = new Set(shapes.map((each) => wordOf(each, by)))
      faults.add(`${path}/${by}`, 'shape', `must be one of ${[...words].join(', ')}`)
    }
  }
  if (faults.faults.length === 0) faults.add('', 'shape', 'the file does not have the shape of its kind')
  return false
}

/** Adds the faults of a value outside of its choices: a union reports every branch that does not fit, and one is meant. */
function report(
  schema: TSchema,
  value: unknown,
  path: string,
  choices: readonly Choice[],
  faults: FaultList,
): void {
  for (const { keyword, message, params, instancePath } of Value.Errors(schema, value)) {
    const place = path + instancePath
    if (choices.some((choice) => place === choice.path || place.startsWith(`${choice.path}/`))) continue
    const extra = (params as { additionalProperties?: unknown }).additionalProperties
    const isExtra = keyword === 'additionalProperties' && Array.isArray(extra)
    faults.add(place, 'shape', isExtra ? `has words that are not known here: ${extra.join(', ')}` : message)
  }
}

/** The words by which files choose a shape. */
const CHOOSING = ['kind', 'type', 'take']

function* choicesIn(schema: Shape, value: unknown, path: string): Generator<Choice> {
  const { anyOf = [], properties = {}, patternProperties = {}, required = [], items } = schema
  for (const by of CHOOSING) {
    const shapes = anyOf.filter((each) => wordOf(each, by) !== undefined)
    if (shapes.length === 0 || anyOf.some((each) => each.const !== undefined && each.const === value))
      continue
    const choice = { path, value, by, shapes }
    yield choice
    const chosen = chosenOf(choice)
    if (chosen !== undefined) yield* choicesIn(chosen, value, path)
  }
  if (items !== undefined && Array.isArray(value)) {
    for (const [index, each] of value.entries()) yield* choicesIn(items, each, `${path}/${index}`)
    return
  }
  const all = keysOf(value)
  const [ofEach] = Object.values(patternProperties)
  for (const name of new Set([...required, ...Object.keys(all)])) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : ofEach
    if (inner !== undefined) yield* choicesIn(inner, all[name], `${path}/${name}`)
  }
}

/** The shape of the word that the value has. Where several have it, their other fixed words decide. */
function chosenOf({ value, by, shapes }: Choice): Shape | undefined {
  const keys = keysOf(value)
  const named = shapes.filter((each) => wordOf(each, by) === keys[by])
  const fits = ({ properties = {} }: Shape): boolean =>
    Object.entries(properties).every(([key, each]) => each.const === undefined || each.const === keys[key])
  return named.find(fits) ?? named[0]
}

function wordOf({ properties }: Shape, by: string): string | undefined {
  return properties?.[by]?.const
}

function keysOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
