/** One input of the form: permitted values as buttons where they can be listed, else a text input. */
import type { ComponentChildren, VNode } from 'preact'
import { allowedOf, kindOf } from '../../i18n/problem-words.ts'
import { labelOf } from '../../i18n/field-names.ts'
import { canTranslateAll, phraseOf, type Label } from '../../i18n/phrases.ts'
import { useWords, wordsFor, type Words } from '../../i18n/words.ts'
import type { Language } from '../../preferences.ts'
import type { Field } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { ChoiceInput } from './choice-input.tsx'
import { patient } from '../patient-state.ts'
import type { FieldInputProps } from './field-input-props.ts'
import { fieldIn } from './read-input.ts'
import { TextInput } from './text-input.tsx'

const MOST_BUTTONS = 12

export function FieldInput(props: FieldInputProps): VNode {
  const { field, scale, typed, isVisited } = props
  const words = useWords()
  const chosenUnit = useShared(patient).units[field.name]
  // What is typed in another unit has that unit's name and limits, on paper too.
  const asTyped = fieldIn(field, chosenUnit)
  const { language, t } = words
  const label = labelOf(language, field, scale)
  // A value that was just typed is not missing, even while the service has not answered yet. One that is still being
  // typed is not wrong yet: the 8 of 84 is below every limit.
  const shown = props.isTyping
    ? []
    : props.problems.filter((item) => kindOf(item) !== 'missing' || (isVisited && typed === ''))
  const id = `field-${field.name}`
  const noteIds = shown.map((_item, index) => `${id}-problem-${index}`)
  const isWrong = shown.some((item) => kindOf(item) !== 'missing')
  const hint =
    field.role === 'base' || field.role === 'input'
      ? hintOf(language, field)
      : phraseOf(language, field.note ?? '')
  const described = [...noteIds, ...(hint.text === '' ? [] : [`${id}-hint`])].join(' ')
  const unit = unitOf(words, asTyped, label.text)
  const heading: ComponentChildren = (
    <>
      <span lang={label.lang}>{label.text}</span>
      {unit !== '' && <span class="unit">{unit}</span>}
      {field.use === 'required' && (
        <abbr class="required" title={t('field.required')}>
          *
        </abbr>
      )}
    </>
  )
  const Input = isTextField(field) ? TextInput : ChoiceInput
  const isChanged = props.before !== undefined && props.before !== typed
  return (
    <div
      class={`field${typed === '' ? ' unanswered' : ''}${isWrong ? ' wrong' : ''}${isChanged ? ' changed' : ''}`}
      data-field={field.name}
    >
      <Input
        {...props}
        id={id}
        label={label.text}
        heading={heading}
        described={described}
        isWrong={isWrong}
        {...(isTextField(field) && field.type !== 'date' && props.placeholder === undefined
          ? { placeholder: allowedOf(words, asTyped) }
          : {})}
      />
      {props.note}
      {isChanged && <p class="quiet">{t('whatif.was', { value: props.before })}</p>}
      {hint.text !== '' && (
        <p class="hint" id={`${id}-hint`} lang={hint.lang}>
          {hint.text}
        </p>
      )}
      {shown.map((item, index) => (
        <ProblemNote key={item.ExtendError} item={item} field={asTyped} id={`${id}-problem-${index}`} />
      ))}
    </div>
  )
}

/** Whether a field is typed and not chosen by a button. */
export function isTextField({ type, values }: Field): boolean {
  return type !== 'boolean' && (values === undefined || values.length > MOST_BUTTONS)
}

/** A unit that is part of the name is not repeated: "Emergency visits" counts visits. */
function unitOf(words: Words, { unit }: Field, label: string): string {
  const text = unit === undefined ? '' : words.serviceText(unit)
  return label
    .toLowerCase()
    .split(/[^\p{L}/%]+/u)
    .includes(text.toLowerCase())
    ? ''
    : text
}

/** What it means, over which time, and what counts. A window that is part of the meaning is not repeated. */
function hintOf(language: Language, field: Field): Label {
  const { meaning, includes, excludes } = field
  const window = field.window === undefined || meaning.includes(field.window) ? undefined : field.window
  const parts = [meaning, window, includes, excludes].filter((part) => part !== undefined)
  const { t, serviceText } = wordsFor(canTranslateAll(language, parts) ? language : 'en')
  const text = [
    serviceText(meaning),
    window === undefined ? '' : t('hint.window', { window: serviceText(window) }),
    includes === undefined ? '' : t('hint.includes', { what: serviceText(includes) }),
    excludes === undefined ? '' : t('hint.excludes', { what: serviceText(excludes) }),
  ]
    .filter((part) => part !== '')
    .join(' ')
  return canTranslateAll(language, parts) ? { text } : { text, lang: 'en' }
}
