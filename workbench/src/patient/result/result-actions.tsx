/** Copies a result as text, or prints it. Both are disabled while the result does not belong to the values on the screen. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'
import { Icon } from '../../ui/icon.tsx'
import { resultAsText } from './as-text.ts'
import { patient } from '../patient-state.ts'

export function ResultActions(props: {
  readonly model: Model
  readonly catalogue: FieldCatalogue
  readonly isCurrent: boolean
}): VNode {
  const words = useWords()
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    const { result, status, typed, units, baseline, answeredAt } = patient.get()
    if (result === undefined || status !== 'answered') return
    const { model, catalogue } = props
    const parts = { model, catalogue, result, typed, units, baseline, answeredAt }
    await navigator.clipboard.writeText(resultAsText(words, parts))
    setCopied(true)
    setTimeout(() => setCopied(false), 3_000)
  }
  return (
    <div class="actions">
      <button type="button" disabled={!props.isCurrent} onClick={() => void copy()}>
        <Icon name="copy" />
        {words.t('result.copy')}
      </button>
      <button type="button" disabled={!props.isCurrent} onClick={() => window.print()}>
        <Icon name="print" />
        {words.t('result.print')}
      </button>
      <span role="status">{isCopied ? words.t('result.copied') : ''}</span>
    </div>
  )
}
