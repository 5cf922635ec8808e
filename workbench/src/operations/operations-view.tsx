/** What those who run the service look at. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'

export function OperationsView(): VNode {
  const { t } = useWords()
  return (
    <div class="operations">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>{t('operations.title')}</h1>
          <p class="lead">{t('operations.lead')}</p>
        </div>
      </div>
    </div>
  )
}
