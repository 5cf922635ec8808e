/** A line to type a figure or a day into. A day is repeated in words, so that a slip is seen. */
import type { VNode } from 'preact'
import { allowedOf } from '../i18n/problem-words.ts'
import { useWords } from '../i18n/words.ts'
import type { InputParts } from './question.ts'
import { readDay } from './read-input.ts'

export function TextInput(props: InputParts): VNode {
  const { field, typed, id, described, heading } = props
  const words = useWords()
  const isDate = field.type === 'date'
  const day = isDate ? words.day(readDay(typed.trim())) : undefined
  return (
    <div class="line">
      <label for={id}>{heading}</label>
      <div class="line-input">
        <input
          id={id}
          type="text"
          inputMode={isDate ? 'text' : field.type === 'number' ? 'decimal' : 'numeric'}
          autocomplete="off"
          spellcheck={false}
          value={typed}
          placeholder={props.placeholder ?? (isDate ? words.t('date.form') : allowedOf(words, field))}
          aria-describedby={described === '' ? undefined : described}
          aria-invalid={props.isWrong ? 'true' : undefined}
          aria-required={field.use === 'required' && field.scale === undefined ? 'true' : undefined}
          onInput={(event) => props.onInput(event.currentTarget.value)}
          onBlur={() => props.onVisited()}
          onKeyDown={(event) => event.key === 'Enter' && props.onVisited()}
        />
        {isDate && (
          <button type="button" class="small" onClick={() => props.onInput(todayText())}>
            {words.t('date.today')}
          </button>
        )}
      </div>
      {day !== undefined && <p class="quiet">{day}</p>}
    </div>
  )
}

function todayText(): string {
  const now = new Date()
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${two(now.getDate())}-${two(now.getMonth() + 1)}-${now.getFullYear()}`
}
