/** What a language lacks of the words of the page. */
import type { Languages, Texts } from './language.ts'

/** A test compares its words of the page with the page itself, so it has all of them. */
const COMPLETE = 'es'
const NOTHING: Texts = { texts: {}, places: {} }

/** The English of every word that the language has not; all of them where it has no file for the page. */
export function missingPageWords({ others }: Languages, tag: string): readonly string[] {
  const { texts, places } = others.get(tag)?.page ?? NOTHING
  const complete = others.get(COMPLETE)?.page ?? NOTHING
  // A word that has a place there may have others too; a place that is not there may be one of these.
  const elsewhere = new Set(
    Object.entries(places).flatMap(([place, { en }]) => (Object.hasOwn(complete.places, place) ? [] : [en])),
  )
  const missing = [
    ...Object.keys(complete.texts).filter((english) => !elsewhere.has(english)),
    ...Object.entries(complete.places).flatMap(([place, { en }]) => (places[place]?.en === en ? [] : [en])),
  ]
  return [...new Set(missing)].filter((english) => !Object.hasOwn(texts, english))
}
