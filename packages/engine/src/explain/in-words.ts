/** Labels and bands of an explanation in the language of the answer. Codes and keys stay the same in every language. */
import { type Words, nameIn, phraseIn } from '../words/words.ts'
import type { Explanation } from './explain.ts'
import type { ScaleState } from './scale-states.ts'

/** A label that is the name of its field is what the field is called. */
export function labelsIn(words: Words | undefined, explanation: Explanation): Explanation {
  if (words === undefined) return explanation
  const labelIn = (label: string): string =>
    Object.hasOwn(words.texts, label) ? phraseIn(words, label) : nameIn(words, label)
  return {
    ...explanation,
    terms: explanation.terms.map((term) => ({ ...term, label: labelIn(term.label) })),
    contributions:
      explanation.contributions?.map((each) => ({ ...each, label: labelIn(each.label) })) ?? null,
  }
}

/** `band` and `scheme` are codes, so the translated band stands beside them. */
export function bandsIn(words: Words | undefined, scales: readonly ScaleState[]): readonly ScaleState[] {
  if (words === undefined) return scales
  return scales.map(({ scale, total, complete, given, needed, band, ...rest }) => {
    const bandText = band === null ? null : phraseIn(words, band)
    return { scale, total, complete, given, needed, band, bandText, ...rest }
  })
}
