/** One input of the form: permitted values as buttons where they can be listed, else a text input. */
import type { ComponentChildren, VNode } from 'preact'
import { kindOf } from '../../i18n/problem-kind.ts'
import { allowedOf } from '../../i18n/problem-words.ts'
import { labelOf } from '../../i18n/field-names.ts'
import { canTranslateAll, phraseOf, type Label } from '../../i18n/phrases.ts'
import { useWords, wordsFor, type Words } from '../../i18n/words.ts'
import type { Language } from '../../i18n/language.ts'
import type { Field, Scale } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { ChoiceInput } from './choice-input.tsx'
import { noteVisited, setTyped } from '../change-patient.ts'
import { patient } from '../patient-state.ts'
import { fieldIn } from './read-input.ts'
import { TextInput } from './text-input.tsx'

const MOST_BUTTONS = 12

export function FieldInput(props: {
  readonly field: Field
  readonly scale?: Scale
  readonly placeholder?: string | undefined
  /** What is said below the input: the points of a reading. */
  readonly note?: ComponentChildren
}): VNode {
  const { field, scale } = props
  const { name } = field
  const words = useWords()
  const state = useShared(patient)
  const typed = state.typed[name] ?? ''
  // The real value, while a what-if is tried.
  const before = state.baseline && (state.baseline.typed[name] ?? '')
  // What is typed in another unit has that unit's name and limits, on paper too.
  const asTyped = fieldIn(field, state.units[name])
  const { language, t } = words
  const label = labelOf(language, field, scale)
  // A value that was just typed is not missing, even while the service has not answered yet. One that is still being
  // typed is not wrong yet: the 8 of 84 is below every limit.
  const problems = state.typing === name ? [] : state.problems.filter((item) => item.Field === name)
  const mayMiss = state.visited.has(name) && typed === ''
  const shown = problems.filter((item) => mayMiss || kindOf(item) !== 'missing')
  const id = `field-${name}`
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
  const isText = isTextField(field)
  const Input = isText ? TextInput : ChoiceInput
  const hasRange = isText && field.type !== 'date'
  const placeholder = props.placeholder ?? (hasRange ? allowedOf(words, asTyped) : undefined)
  const isChanged = before !== undefined && before !== typed
  return (
    <div
      class={`field${typed === '' ? ' unanswered' : ''}${isWrong ? ' wrong' : ''}${isChanged ? ' changed' : ''}`}
      data-field={name}
    >
      <Input
        {...{ field, typed, id, heading, described, isWrong, placeholder }}
        label={label.text}
        onInput={(text) => setTyped(name, text, isText)}
        onVisited={() => noteVisited(name)}
      />
      {props.note}
      {isChanged && <p class="quiet">{t('whatif.was', { value: before })}</p>}
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
function isTextField({ type, values }: Field): boolean {
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
