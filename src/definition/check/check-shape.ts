/** Compares a parsed file with the shape that it must have, and reports where it differs. */
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { FaultList } from '../fault.ts'

/** A place in a file whose shape is chosen by a word in it, such as the kind of a term. */
export interface Choice {
  readonly path: string
  readonly value: unknown
  /** The property that chooses, and the shape for each of its words. */
  readonly by: string
  readonly shapes: Readonly<Record<string, TSchema>>
}

/** Whether the value has the shape; adds a fault for each place where it does not. */
export function hasShape(
  schema: TSchema,
  value: unknown,
  faults: FaultList,
  choices: readonly Choice[] = [],
): boolean {
  if (Value.Check(schema, value)) return true
  for (const error of Value.Errors(schema, value)) {
    // A union reports every branch that does not fit; the reader of the report needs the chosen branch only.
    if (!choices.some(({ path }) => isWithin(path, error.instancePath)))
      faults.add(error.instancePath, 'shape', sentence(error))
  }
  for (const choice of choices) checkChoice(choice, choices, faults)
  if (faults.faults.length === 0) faults.add('', 'shape', 'the file does not have the shape of its kind')
  return false
}

function isWithin(path: string, place: string): boolean {
  return place === path || place.startsWith(`${path}/`)
}

function checkChoice(
  { path, value, by, shapes }: Choice,
  choices: readonly Choice[],
  faults: FaultList,
): void {
  const word =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[by] : undefined
  const shape = typeof word === 'string' && Object.hasOwn(shapes, word) ? shapes[word] : undefined
  if (shape === undefined) {
    faults.add(`${path}/${by}`, 'shape', `must be one of ${Object.keys(shapes).join(', ')}`)
    return
  }
  const inner = choices.filter((other) => other.path.startsWith(`${path}/`))
  for (const error of Value.Errors(shape, value)) {
    const place = path + error.instancePath
    if (!inner.some((other) => isWithin(other.path, place))) faults.add(place, 'shape', sentence(error))
  }
}

function sentence(error: {
  readonly keyword: string
  readonly message: string
  readonly params: object
}): string {
  const params = error.params as Readonly<Record<string, unknown>>
  const extra = params['additionalProperties']
  if (error.keyword === 'additionalProperties' && Array.isArray(extra)) {
    return `has words that are not known here: ${extra.join(', ')}`
  }
  return error.message
}
