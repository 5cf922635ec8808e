/** The words of the view that sends outcomes. They load with it. */
import { fillIn } from '../i18n/translate.ts'
import { useWords, type Words } from '../i18n/words.ts'
import english from './messages/en.json'
import spanish from './messages/es.json'

export type OutcomeKey = keyof typeof english

const MESSAGES: Readonly<Record<Words['language'], Readonly<Record<OutcomeKey, string>>>> = {
  en: english,
  es: spanish,
}

export type OutcomeWords = ReturnType<typeof useOutcomeWords>

export function useOutcomeWords() {
  const words = useWords()
  const messages = MESSAGES[words.language]
  const say = (key: OutcomeKey, parts: Readonly<Record<string, string | number>> = {}): string =>
    fillIn(messages[key], parts)
  return { ...words, say }
}
