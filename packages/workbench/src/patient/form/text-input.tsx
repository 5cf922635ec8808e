/** A text input for a number or a day. A day is repeated in words; a number may be typed in another unit. */
import type { VNode } from 'preact'
import { serviceDayText } from '../../i18n/problem-words.ts'
import { useWords } from '../../i18n/words.ts'
import type { InputParts } from './field-input-props.ts'
import type { Field } from '../../shapes/fields.ts'
import { serviceDay } from '../../service-clock.ts'
import { deploymentData } from '../../session.ts'
import { useShared } from '../../state.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { setUnit } from '../change-patient.ts'
import { patient } from '../patient-state.ts'
import { inOwnUnit, readDay, readInput } from './read-input.ts'

export function TextInput(props: InputParts): VNode {
  const { field, typed, id, described, heading } = props
  const words = useWords()
  const isDate = field.type === 'date'
  const day = isDate ? words.day(readDay(typed.trim())) : undefined
  const ofNumbers = field.type === 'number' ? 'decimal' : 'numeric'
  const known = useShared(deploymentData)
  const zone = known.kind === 'ready' ? known.model.deployment.timeZone : undefined
  return (
    <div class="line">
      <label for={id}>{heading}</label>
      <div class="line-input">
        <input
          id={id}
          type="text"
          inputMode={isDate ? 'text' : ofNumbers}
          autocomplete="off"
          spellcheck={false}
          value={typed}
          placeholder={props.placeholder ?? words.t('date.form')}
          aria-describedby={described === '' ? undefined : described}
          aria-invalid={props.isWrong ? 'true' : undefined}
          aria-required={field.use === 'required' && field.scale === undefined ? 'true' : undefined}
          onInput={(event) => props.onInput(event.currentTarget.value)}
          onBlur={() => props.onVisited()}
          onKeyDown={(event) => event.key === 'Enter' && props.onVisited()}
        />
        <UnitChoice {...props} />
        {isDate && (
          <Button
            class="small"
            onClick={() => props.onInput(serviceDay(zone))}
            text={words.t('date.today')}
          />
        )}
      </div>
      {day !== undefined && <p class="quiet">{day}</p>}
      {isDate && !props.isWrong && serviceDay(zone) !== serviceDay(undefined) && (
        <p class="quiet">{serviceDayText(words)}</p>
      )}
      <ConvertedValue {...props} />
    </div>
  )
}

/** Another unit for a value that comes in two: a what-if compares values, so the unit stays during one. */
function UnitChoice({ field, label }: InputParts): VNode {
  const { t, serviceText } = useWords()
  const { units, baseline } = useShared(patient)
  if (!hasUnits(field)) return <></>
  return (
    <Select
      class="unit-choice"
      aria-label={t('unit.of', { name: label })}
      value={units[field.name] ?? field.unit ?? ''}
      disabled={baseline !== undefined}
      onChange={(unit) => setUnit(field.name, unit)}
      options={[field.unit ?? '', ...Object.keys(field.otherUnits ?? {})].map((unit) => [
        unit,
        serviceText(unit),
      ])}
    />
  )
}

function ConvertedValue({ field, typed }: InputParts): VNode {
  const words = useWords()
  const unit = useShared(patient).units[field.name]
  const read = readInput(field, typed, words.language)
  const value = inOwnUnit(field, read, unit)
  if (!hasUnits(field) || unit === field.unit || typeof value !== 'number' || value === read) return <></>
  return <p class="quiet converted">{`= ${words.number(value)} ${words.serviceText(field.unit ?? '')}`}</p>
}

function hasUnits({ type, otherUnits }: Field): boolean {
  return type === 'number' && otherUnits !== undefined
}
