/** What is wrong with the data of a list, and what its answers note, most frequent first. An entry shows the rows that it counts. */
import type { ComponentChildren, VNode } from 'preact'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { Filter } from '../table/filter-rows.ts'
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
  return (
    <>
      {quality.entries.length === 0 && <p class="good-note">{t('quality.none')}</p>}
      {quality.entries.length > 0 && (
        <ul class="quality">
          {quality.entries.map(({ field, kind, rows }) => {
            const label = subjectOf(words.language, catalogue, field)
            const isOn = filter.field === field && filter.kind === kind
            return (
              <Entry
                key={`${field} ${kind}`}
                isOn={isOn}
                rows={rows}
                onPress={() => onFilter(isOn ? { field: '', kind: '' } : { field, kind })}
              >
                <span lang={label.lang}>{label.text}</span>
                <span class="quiet">{t(`kind.${kind}`)}</span>
              </Entry>
            )
          })}
        </ul>
      )}
      {quality.notices.length > 0 && (
        <>
          <h3>{t('result.notices')}</h3>
          <ul class="quality noted">
            {quality.notices.map(({ code, rows }) => {
              const isOn = filter.notice === code
              return (
                <Entry
                  key={code}
                  isOn={isOn}
                  rows={rows}
                  onPress={() => onFilter({ notice: isOn ? '' : code })}
                >
                  <span>{t(`noticed.${code}`)}</span>
                </Entry>
              )
            })}
          </ul>
        </>
      )}
    </>
  )
}

function Entry(props: {
  readonly isOn: boolean
  readonly rows: number
  readonly onPress: () => void
  readonly children: ComponentChildren
}): VNode {
  const { count } = useWords()
  return (
    <li>
      <button type="button" aria-pressed={props.isOn} onClick={props.onPress}>
        {props.children}
        <strong>{count('rows', props.rows)}</strong>
      </button>
    </li>
  )
}
