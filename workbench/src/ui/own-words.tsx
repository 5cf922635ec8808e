/** Words of the service: in the reader's language where the page knows them, else marked as English for a screen reader. */
import type { VNode } from 'preact'
import { phraseOf } from '../i18n/phrases.ts'
import { useWords } from '../i18n/words.ts'

export function OwnWords({ text }: { readonly text: string }): VNode {
  const phrase = phraseOf(useWords().language, text)
  return <span lang={phrase.lang}>{phrase.text}</span>
}
