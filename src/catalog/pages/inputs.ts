/** Fields as rows: what they mean, what they may hold, in which unit and window. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { FieldDescription } from '../describe-fields.ts'
import { table } from './markdown.ts'

/** Longer lists of values are shown by their ends. */
const LONGEST_LIST = 12

export function inputTable(model: ModelDefinition, inputs: readonly FieldDescription[]): string {
  return table(
    ['Field', 'Meaning', 'Permitted', 'Unit', 'Window, includes, excludes', 'When absent'],
    inputs.map((field) => [
      `\`${field.name}\``,
      sentences(field.meaning, model.inputs[field.name]?.meaning),
      permitted(field),
      field.unit ?? '',
      windowOf(field),
      field.use === 'required' ? 'reported; no number' : `taken as ${field.whenAbsent}: ${field.whyAbsent}`,
    ]),
  )
}

/** What a field may hold, in words. */
export function permitted(field: FieldDescription): string {
  if (field.values !== undefined) return valuesText(field.values, field.valueMeanings)
  switch (field.type) {
    case 'integer':
      return `whole number, ${field.minimum} to ${field.maximum}`
    case 'number':
      return `number, ${field.minimum} to ${field.maximum}`
    case 'boolean':
      return 'true or false'
    case 'date':
      return 'DD-MM-YYYY, not in the future'
    case 'string':
      return 'text'
  }
}

export function valuesText(
  values: readonly (number | string)[],
  meanings: Readonly<Record<string, string>> = {},
): string {
  const isCode = values.some((value) => typeof value === 'string')
  if (isCode) {
    return values
      .map((value) => {
        const meaning = meanings[value]
        return meaning === undefined ? `\`${value}\`` : `\`${value}\` (${meaning})`
      })
      .join(', ')
  }
  const numbers = values as readonly number[]
  if (numbers.length <= LONGEST_LIST) return numbers.join(', ')
  return rangeText(numbers)
}

/** A long list by its ends and its step: "0 to 100 in steps of 5". */
export function rangeText(values: readonly number[]): string {
  const first = values[0] ?? 0
  const last = values.at(-1) ?? 0
  const step = (last - first) / (values.length - 1)
  const isEven = values.every((value, index) => Math.abs(first + index * step - value) < 1e-9)
  if (values.length === 1) return String(first)
  const range = `${first} to ${last}`
  if (!isEven) return `${range}, ${values.length} values`
  return step === 1 ? range : `${range} in steps of ${Number(step.toFixed(3))}`
}

function windowOf({ window, includes, excludes }: FieldDescription): string {
  return [
    window,
    includes === undefined ? undefined : `includes ${includes}`,
    excludes === undefined ? undefined : `excludes ${excludes}`,
  ]
    .filter((text) => text !== undefined)
    .join('; ')
}

/** What the field means, and what it means for this model. */
function sentences(meaning: string, more: string | undefined): string {
  return more === undefined ? meaning : `${meaning.replace(/\.$/, '')}. ${more}`
}
