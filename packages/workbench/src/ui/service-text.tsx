/** A text of the service: translated where the page has a translation, else marked as English for screen readers. */
import type { VNode } from 'preact'
import { phraseOf } from '../i18n/phrases.ts'
import { useWords } from '../i18n/words.ts'

export function ServiceText({ text }: { readonly text: string }): VNode {
  const phrase = phraseOf(useWords().language, text)
  return <span lang={phrase.lang}>{phrase.text}</span>
}
