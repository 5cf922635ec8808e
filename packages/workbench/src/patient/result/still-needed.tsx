/** Why there is no risk yet: values that are missing or wrong, each with a link to its field, and problems of the whole record. */
import type { VNode } from 'preact'
import { subjectOf } from '../../i18n/field-names.ts'
import { kindOf } from '../../i18n/problem-kind.ts'
import { useWords } from '../../i18n/words.ts'
import type { ErrorItem } from '../../shapes/answers.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { patient } from '../patient-state.ts'

export function StillNeeded(props: { readonly catalogue: FieldCatalogue; readonly isIdle: boolean }): VNode {
  const { t, language } = useWords()
  const { problems, typing } = useShared(patient)
  if (props.isIdle) return <p class="empty-title">{t('result.idle')}</p>
  const inForm = problems.filter((item) => isInForm(props.catalogue, item))
  const missing = inForm.filter((item) => kindOf(item) === 'missing')
  const wrong = inForm.filter((item) => kindOf(item) !== 'missing' && item.Field !== typing)
  const link = (name: string): VNode => {
    const label = subjectOf(language, props.catalogue, name)
    return (
      <li key={name}>
        <Button class="link" lang={label.lang} onClick={() => showField(name)} text={label.text} />
      </li>
    )
  }
  return (
    <>
      {inForm.length === 0 && problems.length > 0 && <p class="empty-title">{t('result.none')}</p>}
      {wrong.length > 0 && (
        <>
          <p class="empty-title">{t('result.wrong')}</p>
          <ul class="jump">{[...new Set(wrong.map(({ Field: name }) => name))].map(link)}</ul>
        </>
      )}
      {missing.length > 0 && (
        <>
          <p class="empty-title">{t('result.missing')}</p>
          <ul class="jump">{missing.map(({ Field: name }) => link(name))}</ul>
        </>
      )}
    </>
  )
}

/** Problems of the record as a whole have no field, so they are shown with the result. */
export function RecordProblems({ catalogue }: { readonly catalogue: FieldCatalogue }): VNode {
  const { language } = useWords()
  const { problems } = useShared(patient)
  const loose = problems.filter((item) => !isInForm(catalogue, item))
  return (
    <>
      {loose.map((item) => (
        <ProblemNote
          key={item.ExtendError}
          item={item}
          field={undefined}
          subject={subjectOf(language, catalogue, item.Field)}
        />
      ))}
    </>
  )
}

function isInForm({ fields }: FieldCatalogue, { Field: name }: ErrorItem): boolean {
  return fields.some((field) => field.name === name)
}

/** Opens the card of a field and moves the focus to the field. */
export function showField(name: string): void {
  const place = document.querySelector(`[data-field="${CSS.escape(name)}"]`)
  const card =
    place?.closest('details') ??
    document.querySelector(`[data-scale="${CSS.escape(name.split('_')[0] ?? '')}"] details`)
  if (card instanceof HTMLDetailsElement) card.open = true
  requestAnimationFrame(() => {
    const input = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"] input`)
    input?.focus()
    input?.scrollIntoView({ block: 'center' })
  })
}
