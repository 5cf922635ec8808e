/** A scale as a card: its items, its total and its date, and what the service says of them. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords, type Words } from '../../i18n/words.ts'
import { useShared } from '../../state.ts'
import type { ScaleState } from '../../shapes/answers.ts'
import type { Coding, Field, Scale } from '../../shapes/fields.ts'
import { CopyLink } from '../../link.tsx'
import { offlineFacts } from '../../service.ts'
import { Button } from '../../ui/button.tsx'
import { ServiceText } from '../../ui/service-text.tsx'
import { FieldInput } from './field-input.tsx'
import { clearFields, setManyTyped } from '../change-patient.ts'
import { isCondition } from './item-words.ts'
import { patient, type Patient } from '../patient-state.ts'
import { Band } from '../result/scale-list.tsx'
import { ReadingNote, withReadings } from './reading-note.tsx'

export interface ScaleCardProps {
  readonly scale: Scale
  readonly fields: readonly Field[]
  readonly isUsed: boolean
}

export function ScaleCard({ scale, fields, isUsed }: ScaleCardProps): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(patient)
  const given = fields.filter(({ name }) => (state.typed[name] ?? '') !== '').length
  const faults = state.problems.filter((item) => item.Field.startsWith(`${scale.id}_`)).length
  const [isOpen, setOpen] = useState(isUsed || given > 0)
  const form = formOf(scale, state)
  const items = itemsOf(scale, fields, form?.items)
  const said = state.answer?.scales.find((each) => each.scale === scale.id)
  const summary = said === undefined ? words.count('items', items.length) : totalText(words, said)
  const isCovered = (field: Field): boolean => field.role === 'item' && !items.includes(field)
  const input = (field: Field): VNode => {
    const found = said?.readings?.find((each) => each.field === field.name)
    return (
      <FieldInput
        key={field.name}
        field={narrowedBy(field, form?.narrowed?.[partOf(field)])}
        scale={scale}
        placeholder={
          field.role === 'total' && said?.complete === true && said.total !== null
            ? t('scale.fromItems', { total: words.number(said.total) })
            : undefined
        }
        note={found && <ReadingNote found={found} fields={fields} scale={scale} />}
      />
    )
  }
  return (
    <details class="card scale" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="scale-title">
          <ServiceText text={scale.title} />
        </span>
        {!scale.verified && <span class="tag warn">{t('scale.unverified')}</span>}
        {faults > 0 && isOpen && given > 0 && <span class="tag bad">{words.count('problems', faults)}</span>}
        <span class="scale-sum">{summary}</span>
      </summary>
      {isOpen && (
        <div class="card-body">
          <p class="quiet">
            <ServiceText text={scale.purpose} />
          </p>
          <div class="items">
            {withReadings(fields.filter((field) => !isCovered(field))).map((group) =>
              group.length === 1 ? (
                group.map(input)
              ) : (
                <div class="with-reading" key={group[0]?.name}>
                  {group.map(input)}
                </div>
              ),
            )}
          </div>
          <div class="card-foot">
            <p class={state.status === 'answered' ? 'sum' : 'sum stale'} aria-live="polite">
              <strong>{summary}</strong>
              {said !== undefined && (said.complete || said.band !== null) && (
                <Band state={said} hasBands={(scale.bands ?? []).length > 0} />
              )}
            </p>
            {items.some(isCondition) && (
              <Button
                class="small"
                onClick={() => setManyTyped(noneOfTheOthers(scale, form, items, state))}
                text={t('scale.none')}
              />
            )}
            <Button
              class="small"
              disabled={given === 0}
              onClick={() => clearFields(fields.map(({ name }) => name))}
              text={t('clear')}
            />
            {offlineFacts() === undefined && <CopyLink scale={scale.id} />}
          </div>
          <p class="source" lang="en">
            {scale.source}
          </p>
        </div>
      )}
    </details>
  )
}

/** "Total 85", "2 of 10 given", or "Total 15, incomplete: 2 of 10 given". */
function totalText(words: Words, { total, complete, given, needed }: ScaleState): string {
  if (total === null) return words.t('scale.some', { given, needed })
  return words.t(complete ? 'scale.total' : 'scale.partly', { given, needed, total: words.number(total) })
}

/** The form in which the scale is written: the chosen one, else the default. */
function formOf({ id, codings }: Scale, { typed }: Patient): Coding | undefined {
  const chosen = typed[`${id}_coding`] ?? ''
  return codings?.forms[chosen === '' ? (codings.default ?? '') : chosen]
}

/** "No" for every condition without an answer. Of items that exclude each other only the first is answered. */
function noneOfTheOthers(
  scale: Scale,
  form: Coding | undefined,
  items: readonly Field[],
  { typed }: Patient,
): Readonly<Record<string, string>> {
  const rule = form?.total ?? scale.total
  const groups = rule !== 'sum' && rule.kind === 'sum' ? (rule.alternatives ?? []) : []
  const isGiven = (part: string): boolean => (typed[`${scale.id}_${part}`] ?? '') !== ''
  const open = items.filter((item) => {
    const part = partOf(item)
    const group = groups.find((each) => each.includes(part))
    return !isGiven(part) && (group === undefined || (group[0] === part && !group.some(isGiven)))
  })
  return Object.fromEntries(open.map(({ name }) => [name, '0']))
}

function itemsOf(
  scale: Scale,
  fields: readonly Field[],
  names: readonly string[] | undefined,
): readonly Field[] {
  const items = fields.filter(({ role }) => role === 'item')
  return names === undefined
    ? items
    : items.filter((field) => names.includes(field.name.slice(scale.id.length + 1)))
}

function narrowedBy(field: Field, values: readonly number[] | undefined): Field {
  return values === undefined ? field : { ...field, values }
}

function partOf(field: Field): string {
  return field.name.slice(field.name.indexOf('_') + 1)
}
