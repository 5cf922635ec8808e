/** A scale as a card: its items, their sum so far, its total and its date. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { useShared } from '../../state.ts'
import type { Coding, Field, Scale } from '../../shapes/fields.ts'
import { ServiceText } from '../../ui/service-text.tsx'
import { FieldInput, isTextField } from './field-input.tsx'
import { clearFields, noteVisited, setManyTyped, setTyped } from '../change-patient.ts'
import { isCondition, useItemWords } from './item-words.ts'
import { patient, type Patient } from '../patient-state.ts'
import { bandOf, formOf, sumScale, type ScaleSum } from './scale-sum.ts'

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
  useItemWords(words.language, isOpen)
  const coding = state.typed[`${scale.id}_coding`]
  const form = formOf(scale, coding === '' ? undefined : coding)
  const items = itemsOf(scale, fields, form?.items)
  const sum = sumScale(scale, form, items.map(partOf), (item) => numberOf(state, `${scale.id}_${item}`))
  const total = totalOf(state, scale, sum)
  const band = total === undefined ? undefined : bandOf(scale, total)
  const isCovered = (field: Field): boolean => field.role === 'item' && !items.includes(field)
  return (
    <details class="card scale" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="scale-title">
          <ServiceText text={scale.title} />
        </span>
        {!scale.verified && <span class="tag warn">{t('scale.unverified')}</span>}
        {faults > 0 && isOpen && given > 0 && <span class="tag bad">{words.count('problems', faults)}</span>}
        <span class="scale-sum">{sumText(words, sum)}</span>
      </summary>
      {isOpen && (
        <div class="card-body">
          <p class="quiet">
            <ServiceText text={scale.purpose} />
          </p>
          <div class="items">
            {fields
              .filter((field) => !isCovered(field))
              .map((field) => (
                <FieldInput
                  key={field.name}
                  field={narrowedBy(field, form?.narrowed?.[partOf(field)])}
                  scale={scale}
                  typed={state.typed[field.name] ?? ''}
                  problems={state.problems.filter((item) => item.Field === field.name)}
                  isVisited={state.visited.has(field.name)}
                  isTyping={state.typing === field.name}
                  before={beforeOf(state, field.name)}
                  {...(field.role === 'total' && sum.isComplete && sum.total !== undefined
                    ? { placeholder: t('scale.fromItems', { total: words.number(sum.total) }) }
                    : {})}
                  onInput={(text) => setTyped(field.name, text, isTextField(field))}
                  onVisited={() => noteVisited(field.name)}
                />
              ))}
          </div>
          <div class="card-foot">
            <p class="sum" aria-live="polite">
              <strong>{sumText(words, sum)}</strong>
              {band !== undefined && (
                <span class="band">
                  <ServiceText text={band} />
                </span>
              )}
            </p>
            {items.some(isCondition) && (
              <button
                type="button"
                class="small"
                onClick={() => setManyTyped(noneOfTheOthers(scale, form, items, state))}
              >
                {t('scale.none')}
              </button>
            )}
            <button
              type="button"
              class="small"
              disabled={given === 0}
              onClick={() => clearFields(fields.map(({ name }) => name))}
            >
              {t('clear')}
            </button>
          </div>
          <p class="source" lang="en">
            {scale.source}
          </p>
        </div>
      )}
    </details>
  )
}

export function beforeOf(state: Patient, name: string): string | undefined {
  return state.baseline === undefined ? undefined : (state.baseline.typed[name] ?? '')
}

function sumText(words: ReturnType<typeof useWords>, sum: ScaleSum): string {
  if (sum.given === 0) return words.count('items', sum.needed)
  const parts = { given: sum.given, needed: sum.needed }
  if (sum.total === undefined) return words.t('scale.some', parts)
  return words.t(sum.isComplete ? 'scale.total' : 'scale.sum', { ...parts, total: words.number(sum.total) })
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

/** The total that was typed, else the sum of all items. */
function totalOf(state: Patient, scale: Scale, sum: ScaleSum): number | undefined {
  return numberOf(state, `${scale.id}_total`) ?? (sum.isComplete ? sum.total : undefined)
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

function numberOf(state: Patient, name: string): number | undefined {
  const text = (state.typed[name] ?? '').trim().replace(',', '.')
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
}
