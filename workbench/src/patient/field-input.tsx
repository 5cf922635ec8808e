/** One question: permitted values as buttons where they can be listed, else a line to type into. */
import type { ComponentChildren, VNode } from 'preact'
import { kindOf } from '../i18n/problem-words.ts'
import { labelOf } from '../i18n/field-names.ts'
import { useWords } from '../i18n/words.ts'
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
  const { language, t } = useWords()
  const label = labelOf(language, field, scale)
  const shown = question.problems.filter((item) => kindOf(item) !== 'missing' || isVisited || typed !== '')
  const id = `field-${field.name}`
  const noteIds = shown.map((_item, index) => `${id}-problem-${index}`)
  const isWrong = shown.some((item) => kindOf(item) !== 'missing')
  const hint = field.role === 'base' || field.role === 'input' ? hintOf(field) : (field.note ?? '')
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

function hintOf(field: Field): string {
  const parts = [
    field.meaning,
    field.window === undefined ? '' : `Over: ${field.window}.`,
    field.includes === undefined ? '' : `Includes ${field.includes}.`,
    field.excludes === undefined ? '' : `Excludes ${field.excludes}.`,
  ]
  return parts.filter((part) => part !== '').join(' ')
}
