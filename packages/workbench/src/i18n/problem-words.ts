/** A problem in plain words: what is wrong, and what to do about it. */
import type { ErrorItem } from '../shapes/answers.ts'
import type { Field } from '../shapes/fields.ts'
import { serviceDay } from '../service-clock.ts'
import { deploymentData } from '../session.ts'
import { SUM, kindOf, reasonOf, type ProblemKind } from './problem-kind.ts'
import type { MessageKey } from './translate.ts'
import type { Words } from './words.ts'

/** The translated sentence, with the hint that fits the field. */
export function describeProblem(words: Words, item: ErrorItem, field: Field | undefined): string {
  const kind = kindOf(item)
  const sum = Number(SUM.exec(reasonOf(item))?.[1] ?? Number.NaN)
  const parts = {
    sum: Number.isNaN(sum) ? '' : words.number(sum),
    allowed: allowedOf(words, field),
    today: serviceDayText(words),
  }
  return words.t(hintFor(kind, field, parts.allowed), parts)
}

function hintFor(kind: ProblemKind, field: Field | undefined, allowed: string): MessageKey {
  // A day in the future has a kind of its own, so this one lies before the earliest.
  if (kind === 'outOfRange' && field?.type === 'date') return 'problem.tooEarly'
  const isListed = allowed !== '' && (kind === 'outOfRange' || kind === 'notPermitted')
  return isListed ? `problem.${kind}.allowed` : `problem.${kind}`
}

/** "For the service it is 15 March 2026 (Europe/Madrid)." */
export function serviceDayText(words: Words): string {
  const known = deploymentData.get()
  if (known.kind !== 'ready') return ''
  const zone = known.model.deployment.timeZone
  return words.t('date.serviceDay', { day: words.day(serviceDay(zone)) ?? '', zone })
}

/** What a field may hold, in words: "0, 5, 10" or "18 to 110 years". */
export function allowedOf(words: Words, field: Field | undefined): string {
  if (field === undefined) return ''
  const unit = field.unit === undefined ? '' : ` ${words.serviceText(field.unit)}`
  const { values, minimum, maximum } = field
  if (values !== undefined && values.length <= 12) {
    return values.map((value) => (typeof value === 'number' ? words.number(value) : value)).join(', ')
  }
  const from = minimum ?? values?.[0]
  const to = maximum ?? values?.[values.length - 1]
  if (typeof from !== 'number' || typeof to !== 'number') return ''
  return words.t('range', { from: words.number(from), to: words.number(to) }) + unit
}

const IDX = / in idx -?\d+(?= \()/

/**
 * The message of the interface without the number that the page gave the record: it does not identify a patient.
 * `identifier` names the record as its list does.
 */
export function wordingOf(item: ErrorItem, identifier = ''): string {
  const named = item.ExtendError.replace(IDX, identifier === '' ? '' : ` in ${identifier}`)
  // The service got the text and knows only that it is not a number.
  return item.kind === 'ambiguous' ? named.replace(/\([^)]*\)$/, '(can be read in two ways)') : named
}
