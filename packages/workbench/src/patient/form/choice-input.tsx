/** Permitted values as buttons. They are radio buttons underneath, so arrows move between them. */
import type { VNode } from 'preact'
import { phraseOf } from '../../i18n/phrases.ts'
import { useWords, type Words } from '../../i18n/words.ts'
import type { Field } from '../../shapes/fields.ts'
import { valueLabel } from './item-words.ts'
import type { InputParts } from './field-input-props.ts'

interface Choice {
  readonly text: string
  readonly shown: string
  readonly meaning?: string | undefined
  readonly lang?: 'en'
  readonly isForeign?: boolean
}

export function ChoiceInput(props: InputParts): VNode {
  const { typed, id, described, heading } = props
  const words = useWords()
  const choices = choicesOf(props, words)
  const isWordy = choices.some(({ meaning }) => meaning !== undefined && meaning.length > 24)
  return (
    <fieldset class="choice" aria-describedby={described === '' ? undefined : described}>
      <legend>{heading}</legend>
      <div class={isWordy ? 'choices wordy' : 'choices'} onFocusOut={() => props.onVisited()}>
        {choices.map((choice) => (
          <label key={choice.text} class={choice.isForeign === true ? 'foreign' : undefined}>
            <input
              type="radio"
              name={id}
              value={choice.text}
              checked={typed === choice.text}
              onChange={() => props.onInput(choice.text)}
              onClick={() => typed === choice.text && props.onInput('')}
              onKeyDown={(event) => {
                if (event.key === 'Delete' || event.key === 'Backspace') props.onInput('')
              }}
              aria-invalid={props.isWrong ? 'true' : undefined}
            />
            <span class="face">
              <span class="code">{choice.shown}</span>
              {choice.meaning !== undefined && (
                <span class="meaning" lang={choice.lang}>
                  {choice.meaning}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function choicesOf({ field, typed }: InputParts, words: Words): readonly Choice[] {
  if (field.type === 'boolean') {
    const known: Choice[] = [
      { text: 'true', shown: words.t('result.yes') },
      { text: 'false', shown: words.t('result.no') },
    ]
    return withForeign(known, typed)
  }
  const known = (field.values ?? []).map((value) => ({
    text: String(value),
    ...valueLabel(words, field, value),
    ...(words.language === 'en' || !isForeign(words, field, value) ? {} : { lang: 'en' as const }),
  }))
  return withForeign(known, typed)
}

/** Whether the meaning of a value is in English only. */
function isForeign({ language }: Words, field: Field, value: number | string): boolean {
  const meaning = field.valueMeanings?.[String(value)]
  return meaning !== undefined && phraseOf(language, meaning).lang !== undefined
}

/** A value that came from a list and is not permitted is shown, so that its problem has something to point at. */
function withForeign(known: readonly Choice[], typed: string): readonly Choice[] {
  const isKnown = typed === '' || known.some(({ text }) => text === typed)
  return isKnown ? known : [...known, { text: typed, shown: typed, isForeign: true }]
}
