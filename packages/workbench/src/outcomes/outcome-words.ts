/** The words of the view that sends outcomes. They load with it. */
import { textIn } from '../i18n/language.ts'
import { offered, packOf, say } from '../i18n/translate.ts'
import { useWords, type Words } from '../i18n/words.ts'
import english from './messages/en.json' with { type: 'json' }
import type { OutcomeKind } from './read-outcomes.ts'

export type OutcomeKey = keyof typeof english

export interface OutcomeWords extends Words {
  /** A text of this view. */
  readonly say: (key: OutcomeKey, parts?: Readonly<Record<string, string | number>>) => string
}

export function useOutcomeWords(): OutcomeWords {
  const words = useWords()
  return { ...words, say: (key, parts) => say(words.language, key, english[key], parts) }
}

const KINDS: readonly (readonly [key: string, text: string, kind: OutcomeKind])[] = [
  ['kind.event', english['kind.event'], 'event'],
  ['result.yes', 'Yes', 'event'],
  ['kind.none', english['kind.none'], 'none'],
  ['result.no', 'No', 'none'],
  ['kind.diedFirst', english['kind.diedFirst'], 'diedFirst'],
  ['kind.unknown', english['kind.unknown'], 'unknown'],
]

/** What the loaded languages call the kinds of outcomes. */
export function kindsInLanguages(): readonly (readonly [string, OutcomeKind])[] {
  return offered.get().flatMap(({ language }) => {
    const words = packOf(language)?.words
    if (words === undefined) return []
    return KINDS.map(([key, text, kind]) => [textIn(words, text, key) ?? text, kind] as const)
  })
}
