/** Fields as rows: what they mean, what they may hold, in which unit and window. */
import type { ModelDefinition, PointsBandDefinition } from 'patient-risk-engine/definition'
import type { FieldCatalogue, FieldDescription } from '../catalog/describe-fields.ts'
import { joined, table } from './markdown.ts'

/** Longer lists of values are shown by their ends. */
const LONGEST_LIST = 12

/** As Markdown, or as `write` writes tables. */
export function inputTable(model: ModelDefinition, { fields }: FieldCatalogue, write = table): string {
  const inputs = Object.keys(model.inputs).flatMap((name) => fields.find((each) => each.name === name) ?? [])
  return write(
    ['Field', 'Meaning', 'Permitted', 'Unit', 'Window, includes, excludes', 'When absent'],
    inputs.map((field) => {
      const { name, meaning, unit, window, includes, excludes, use, whenAbsent, whyAbsent } = field
      const more = model.inputs[name]?.meaning
      return [
        `\`${name}\``,
        more === undefined ? meaning : `${meaning.replace(/\.$/, '')}. ${more}`,
        permitted(field),
        unit,
        joined('; ', window, includes && `includes ${includes}`, excludes && `excludes ${excludes}`),
        use === 'required' ? 'reported; no number' : `taken as ${whenAbsent ?? 'absent'}: ${whyAbsent}`,
      ]
    }),
  )
}

export function permitted({ values, valueMeanings, type, minimum, maximum }: FieldDescription): string {
  if (values !== undefined) return valuesText(values, valueMeanings)
  const words = {
    integer: `whole number, ${minimum} to ${maximum}`,
    number: `number, ${minimum} to ${maximum}`,
    boolean: 'true or false',
    date: 'DD-MM-YYYY, not in the future',
    string: 'text',
  }
  return words[type]
}

export function valuesText(
  values: readonly (number | string)[],
  meanings: Readonly<Record<string, string>> = {},
): string {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length === values.length)
    return numbers.length <= LONGEST_LIST ? numbers.join(', ') : rangeText(numbers)
  const meaningOf = (value: number | string): string =>
    meanings[value] === undefined ? '' : ` (${meanings[value]})`
  return values.map((value) => `\`${value}\`${meaningOf(value)}`).join(', ')
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

/** A band in words: "1", "4 to 6", "14 or more", "above 3". */
export function bandText({ from, above, to, below }: Omit<PointsBandDefinition, 'points'>): string {
  const start = from ?? above
  const end = to ?? below
  if (start === undefined && end === undefined) return 'any'
  if (start === undefined) return to === undefined ? `below ${below}` : `${to} or less`
  if (end === undefined) return from === undefined ? `above ${above}` : `${from} or more`
  if (from !== undefined && from === to) return String(from)
  return `${from === undefined ? 'above ' : ''}${start} to ${to === undefined ? 'below ' : ''}${end}`
}
