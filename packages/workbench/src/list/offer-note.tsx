/** After a correction: the same correction for all rows that have the same value. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { correctRows } from './score/correct-rows.ts'
import { list, type Offer } from './list-state.ts'
import { Button } from '../ui/button.tsx'

export function OfferNote({ offer }: { readonly offer: Offer }): VNode {
  const words = useWords()
  const { t } = words
  const { column, from, to, rows } = offer
  return (
    <div class="notice offer" role="status">
      <p>{t('offer.text', { rows: words.count('rows', rows.length), from: from === '' ? '–' : from, to })}</p>
      <div class="actions">
        <Button class="small" onClick={() => correctRows(rows, column, to)} text={t('offer.all')} />
        <Button class="small" onClick={() => list.patch({ offer: undefined })} text={t('offer.one')} />
      </div>
    </div>
  )
}
