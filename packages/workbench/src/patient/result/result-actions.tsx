/** Copies a result as text, or prints it. Both are disabled while the result does not belong to the values on the screen. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import type { Loaded } from '../../session.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { resultAsText } from './as-text.ts'
import { patient } from '../patient-state.ts'

export function ResultActions(props: Loaded & { readonly isCurrent: boolean }): VNode {
  const words = useWords()
  const { model, catalogue, isCurrent } = props
  const text = (): string | undefined => {
    const { result, status, ...state } = patient.get()
    if (result === undefined || status !== 'answered') return undefined
    return resultAsText(words, { ...state, model, catalogue, result })
  }
  return (
    <div class="actions">
      <CopyButton
        icon="copy"
        label={words.t('result.copy')}
        done={words.t('result.copied')}
        isDisabled={!isCurrent}
        text={text}
      />
      <button type="button" disabled={!isCurrent} onClick={() => window.print()}>
        <Icon name="print" />
        {words.t('result.print')}
      </button>
    </div>
  )
}
