/** The words of the view that sends outcomes. They load with it. */
import { say } from '../i18n/translate.ts'
import { useWords, type Words } from '../i18n/words.ts'
import english from './messages/en.json'

export type OutcomeKey = keyof typeof english

export interface OutcomeWords extends Words {
  /** A text of this view. */
  readonly say: (key: OutcomeKey, parts?: Readonly<Record<string, string | number>>) => string
}

export function useOutcomeWords(): OutcomeWords {
  const words = useWords()
  return { ...words, say: (key, parts) => say(words.language, key, english[key], parts) }
}
