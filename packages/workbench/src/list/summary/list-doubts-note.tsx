/** Columns of a list that probably mean something else, and what was seen. They stand above the risks, which rest on some of them. */
import type { VNode } from 'preact'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { ListDoubt } from '../list-state.ts'

export function ListDoubtsNote(props: {
  readonly doubts: readonly ListDoubt[]
  readonly catalogue: FieldCatalogue
}): VNode {
  const { t, language } = useWords()
  const { doubts, catalogue } = props
  if (doubts.length === 0) return <></>
  return (
    <div class="notice warn" role="status">
      <p>{t('listDoubt.title')}</p>
      <ul>
        {doubts.map(({ field, kind }) => {
          const { text, lang } = subjectOf(language, catalogue, field)
          return (
            <li key={field}>
              <strong lang={lang}>{text}</strong>: {t(`listDoubt.${kind}`)}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
