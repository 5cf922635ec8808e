/** What can be done with a result: copied as text, or printed. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import type { Model } from '../shapes/model.ts'
import { Icon } from '../ui/icon.tsx'
import { resultAsText } from './as-text.ts'
import { patient } from './patient-state.ts'

export function ResultActions({ model }: { readonly model: Model }): VNode {
  const words = useWords()
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    const { result } = patient.get()
    if (result === undefined) return
    await navigator.clipboard.writeText(resultAsText(words, model, result, Date.now()))
    setCopied(true)
    setTimeout(() => setCopied(false), 3_000)
  }
  return (
    <div class="actions">
      <button type="button" onClick={() => void copy()}>
        <Icon name="copy" />
        {words.t('result.copy')}
      </button>
      <button type="button" onClick={() => window.print()}>
        <Icon name="print" />
        {words.t('result.print')}
      </button>
      <span role="status">{isCopied ? words.t('result.copied') : ''}</span>
    </div>
  )
}
