/** The deployment has changed since the page loaded it. What was typed or scored is kept, and nothing was answered under other terms. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { Button } from './button.tsx'

export function ChangedTerms(props: { readonly action: string; readonly onLoad: () => void }): VNode {
  const { t } = useWords()
  return (
    <div class="notice warn changed-terms" role="alert">
      <p>
        <strong>{t('changed.title')}</strong>
      </p>
      <p>{t('changed.text')}</p>
      <Button class="primary" onClick={props.onLoad} text={props.action} />
    </div>
  )
}
