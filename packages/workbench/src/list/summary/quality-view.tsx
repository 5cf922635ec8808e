/** What is wrong with the data of a list, most frequent first. An entry shows the rows that it counts. */
import type { VNode } from 'preact'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { Filter } from '../table/order-rows.ts'
import type { Quality } from './quality.ts'

export interface QualityViewProps {
  readonly quality: Quality
  readonly catalogue: FieldCatalogue
  readonly filter: Filter
  readonly onFilter: (parts: Partial<Filter>) => void
}

export function QualityView({ quality, catalogue, filter, onFilter }: QualityViewProps): VNode {
  const words = useWords()
  const { t } = words
  if (quality.entries.length === 0) return <p class="good-note">{t('quality.none')}</p>
  return (
    <ul class="quality">
      {quality.entries.map(({ field, kind, rows }) => {
        const label = subjectOf(words.language, catalogue, field)
        const isOn = filter.field === field && filter.kind === kind
        return (
          <li key={`${field} ${kind}`}>
            <button
              type="button"
              aria-pressed={isOn}
              onClick={() => onFilter(isOn ? { field: '', kind: '' } : { field, kind })}
            >
              <span lang={label.lang}>{label.text}</span>
              <span class="quiet">{t(`kind.${kind}`)}</span>
              <strong>{words.count('rows', rows)}</strong>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
