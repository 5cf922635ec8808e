/**
 * Columns of a list that probably mean something else. They stand above the risks, which rest on some of them. One line, because the
 * rows need the height: all names, and what was seen, are one click away.
 */
import { Fragment, type VNode } from 'preact'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { ListDoubt } from '../list-state.ts'

/** So many names fit into one line of a narrow screen. */
const NAMES_IN_LINE = 2

export function ListDoubtsNote(props: {
  readonly doubts: readonly ListDoubt[]
  readonly catalogue: FieldCatalogue
}): VNode {
  const { t, language } = useWords()
  const { doubts, catalogue } = props
  if (doubts.length === 0) return <></>
  const more = doubts.length - NAMES_IN_LINE
  const named = doubts.map(({ field, kind }) => ({ ...subjectOf(language, catalogue, field), field, kind }))
  return (
    <details class="notice warn list-doubts">
      <summary>
        {t('listDoubt.title')}{' '}
        {named.slice(0, NAMES_IN_LINE).map(({ field, text, lang }, index) => (
          <Fragment key={field}>
            {index > 0 && ', '}
            <strong lang={lang}>{text}</strong>
          </Fragment>
        ))}
        {more > 0 && `, +${more}`}
      </summary>
      <ul>
        {named.map(({ field, kind, text, lang }) => (
          <li key={field}>
            <strong lang={lang}>{text}</strong>: {t(`listDoubt.${kind}`)}
          </li>
        ))}
      </ul>
    </details>
  )
}
