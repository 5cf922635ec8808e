/** Fields as rows: what they mean, what they may hold, in which unit and window. */
import type { ModelDefinition, PointsBandDefinition } from 'patient-risk-engine/definition'
import type { FieldCatalogue, FieldDescription } from '../catalog/describe-fields.ts'
import { type Sentence, type Words, inEnglish, phraseIn, sentenceIn } from 'patient-risk-engine/words'
import { PAGE_TEXTS } from '../catalog/words/page-texts.ts'
import { MODEL_CARD_TEXTS } from '../catalog/words/service-texts.ts'
import { joined, table } from './markdown.ts'

/** Longer lists of values are shown by their ends. */
const LONGEST_LIST = 12

/** As Markdown, or as `write` writes tables; in a language, where one is given. */
export function inputTable(
  model: ModelDefinition,
  { fields }: FieldCatalogue,
  write = table,
  language?: Words,
): string {
  const say = sayIn(language)
  const inputs = Object.keys(model.inputs).flatMap((name) => fields.find((each) => each.name === name) ?? [])
  const head = [T.field, T.meaning, T.permitted, T.unit, T.window, T.whenAbsent]
  return write(
    head.map((text) => say(text)),
    inputs.map((field) => {
      const { name, meaning, unit, window, includes, excludes, use, whenAbsent, whyAbsent = '' } = field
      const more = model.inputs[name]?.meaning
      const taken = { value: whenAbsent === null ? { phrase: T.absent } : String(whenAbsent), why: whyAbsent }
      return [
        `\`${name}\``,
        more === undefined ? meaning : `${meaning.replace(/\.$/, '')}. ${more}`,
        permitted(field, say),
        unit && phraseIn(language, unit),
        joined(
          '; ',
          window,
          includes && say(T.includes, { what: includes }),
          excludes && say(T.excludes, { what: excludes }),
        ),
        use === 'required' ? say(T.reported) : say(T.taken, taken),
      ]
    }),
  )
}

const T = { ...MODEL_CARD_TEXTS, ...PAGE_TEXTS }
/** Says a text in the language of a page. */
export type Say = (text: string, parts?: Sentence['parts']) => string
export const IN_ENGLISH: Say = (text, parts = {}) => inEnglish({ text, parts })

export function sayIn(language: Words | undefined): Say {
  return (text, parts = {}) => sentenceIn(language, { text, parts })
}

export function permitted(
  { values, valueMeanings, type, minimum = 0, maximum = 0 }: FieldDescription,
  say = IN_ENGLISH,
): string {
  if (values !== undefined) return valuesText(values, valueMeanings, say)
  const words = {
    integer: say(T.wholeNumber, { from: minimum, to: maximum }),
    number: say(T.number, { from: minimum, to: maximum }),
    boolean: say(T.trueOrFalse),
    date: say(T.day),
    string: say(T.text),
  }
  return words[type]
}

export function valuesText(
  values: readonly (number | string)[],
  meanings: Readonly<Record<string, string>> = {},
  say = IN_ENGLISH,
): string {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length === values.length)
    return numbers.length <= LONGEST_LIST ? numbers.join(', ') : rangeText(numbers, say)
  const meaningOf = (value: number | string): string =>
    meanings[value] === undefined ? '' : ` (${meanings[value]})`
  return values.map((value) => `\`${value}\`${meaningOf(value)}`).join(', ')
}

/** A long list by its ends and its step: "0 to 100 in steps of 5". */
export function rangeText(values: readonly number[], say = IN_ENGLISH): string {
  const from = values[0] ?? 0
  const to = values.at(-1) ?? 0
  const step = (to - from) / (values.length - 1)
  const isEven = values.every((value, index) => Math.abs(from + index * step - value) < 1e-9)
  if (values.length === 1) return String(from)
  if (!isEven) return say(T.rangeOf, { from, to, n: values.length })
  return step === 1
    ? say(T.range, { from, to })
    : say(T.rangeInSteps, { from, to, step: Number(step.toFixed(3)) })
}

/** A band in words: "1", "4 to 6", "14 or more", "above 3". */
export function bandText(
  { from, above, to, below }: Omit<PointsBandDefinition, 'points'>,
  say = IN_ENGLISH,
): string {
  const start = from ?? above
  const end = to ?? below
  if (start === undefined && end === undefined) return say(T.any)
  if (start === undefined) return say(to === undefined ? T.below : T.orLess, { to: end ?? 0 })
  if (end === undefined) return say(from === undefined ? T.above : T.orMore, { from: start })
  if (from !== undefined && from === to) return say('{from}', { from })
  const parts = { from: start, to: end }
  if (from === undefined) return say(to === undefined ? T.aboveToBelow : T.aboveTo, parts)
  return say(to === undefined ? T.toBelow : T.range, parts)
}

/** Alternatives, as a condition names them: "1 or 2 or 3". */
export function orList(parts: readonly string[], say: Say): string {
  return parts.length === 0 ? '' : parts.reduce((first, last) => say(T.or, { first, last }))
}
