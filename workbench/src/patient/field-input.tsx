/** One question: permitted values as buttons where they can be listed, else a line to type into. */
import type { ComponentChildren, VNode } from 'preact'
import { kindOf } from '../i18n/problem-words.ts'
import { labelOf } from '../i18n/field-names.ts'
import { useWords, type Words } from '../i18n/words.ts'
import type { ErrorItem } from '../shapes/answers.ts'
import type { Field, Scale } from '../shapes/fields.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { ChoiceInput } from './choice-input.tsx'
import { TextInput } from './text-input.tsx'

export interface Question {
  readonly field: Field
  readonly scale: Scale | undefined
  readonly typed: string
  readonly problems: readonly ErrorItem[]
  /** Whether it was left once, so that what it lacks may be said. */
  readonly isVisited: boolean
  /** What it held when the result was kept to compare with. */
  readonly before: string | undefined
  readonly placeholder?: string
  readonly onInput: (text: string) => void
  readonly onVisited: () => void
}

const MOST_BUTTONS = 12

export function FieldInput(question: Question): VNode {
  const { field, scale, typed, isVisited } = question
  const words = useWords()
  const { language, t } = words
  const label = labelOf(language, field, scale)
  // A value that was just typed is not missing, even while the service has not answered yet.
  const shown = question.problems.filter((item) => kindOf(item) !== 'missing' || (isVisited && typed === ''))
  const id = `field-${field.name}`
  const noteIds = shown.map((_item, index) => `${id}-problem-${index}`)
  const isWrong = shown.some((item) => kindOf(item) !== 'missing')
  const hint = field.role === 'base' || field.role === 'input' ? hintOf(words, field) : (field.note ?? '')
  const described = [...noteIds, ...(hint === '' ? [] : [`${id}-hint`])].join(' ')
  const hasButtons =
    field.type === 'boolean' || (field.values !== undefined && field.values.length <= MOST_BUTTONS)
  const heading: ComponentChildren = (
    <>
      <span lang={label.lang}>{label.text}</span>
      {field.unit !== undefined && <span class="unit">{field.unit}</span>}
      {field.use === 'required' && (
        <abbr class="required" title={t('field.required')}>
          *
        </abbr>
      )}
    </>
  )
  const Input = hasButtons ? ChoiceInput : TextInput
  const isChanged = question.before !== undefined && question.before !== typed
  return (
    <div class={`field${isWrong ? ' wrong' : ''}${isChanged ? ' changed' : ''}`} data-field={field.name}>
      <Input {...question} id={id} heading={heading} described={described} isWrong={isWrong} />
      {isChanged && <p class="quiet">{t('whatif.was', { value: question.before })}</p>}
      {hint !== '' && (
        <p class="hint" id={`${id}-hint`} lang="en">
          {hint}
        </p>
      )}
      {shown.map((item, index) => (
        <ProblemNote key={item.ExtendError} item={item} field={field} id={`${id}-problem-${index}`} />
      ))}
    </div>
  )
}

/** What it means, over which time, and what counts. A window that the meaning names already is not said twice. */
function hintOf(words: Words, field: Field): string {
  const { t } = words
  const { meaning, window, includes, excludes } = field
  const parts = [
    meaning,
    window === undefined || meaning.includes(window) ? '' : t('hint.window', { window }),
    includes === undefined ? '' : t('hint.includes', { what: includes }),
    excludes === undefined ? '' : t('hint.excludes', { what: excludes }),
  ]
  return parts.filter((part) => part !== '').join(' ')
}
