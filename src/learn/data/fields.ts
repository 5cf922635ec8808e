/** Which fields the columns of a file are to fill, so that a model finds its inputs. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { DataSpecificationType } from './data-specification.ts'

/**
 * Every field that the specification names, and every input that it does not: such an input has a column of
 * its own name. An input of a scale is worked out from the scale's other fields when those are named.
 */
export function fieldsToRead(
  inputs: ModelDefinition['inputs'],
  data: DataSpecificationType,
): readonly string[] {
  const named = Object.keys(data.columns ?? {})
  const hasScale = (field: string): boolean => {
    const end = field.indexOf('_')
    return end > 0 && named.some((name) => name.startsWith(field.slice(0, end + 1)))
  }
  const own = Object.keys(inputs).filter((field) => !named.includes(field) && !hasScale(field))
  return [...new Set([...named, ...own])]
}
