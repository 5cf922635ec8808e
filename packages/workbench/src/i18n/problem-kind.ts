/** What kind of problem an item of the service reports. */
import type { ErrorItem } from '../shapes/answers.ts'

const KINDS = {
  'out of range': 'outOfRange',
  'not an integer': 'notAnInteger',
  'not a number': 'notANumber',
  'not a permitted value': 'notPermitted',
  'not a valid date': 'notADate',
  'date in the future': 'dateInFuture',
  duplicate: 'duplicate',
  'given twice': 'givenTwice',
  'not an object': 'notAnObject',
  'too many fields': 'tooManyFields',
  'unknown field': 'unknownField',
  'not computable': 'notComputable',
} as const

/** What the service says of a value, and what the page finds itself. */
export type ProblemKind =
  | (typeof KINDS)[keyof typeof KINDS]
  | ('missing' | 'sum' | 'tooManyCells' | 'tooFewCells' | 'ambiguous' | 'other')

export const SUM =
  /^the sum of the given item values(?:, -?[\d.]+,)? does not coincide with the provided total(?:, computed sum (-?[\d.]+))?$/

export function kindOf(item: ErrorItem): ProblemKind {
  if (item.kind !== undefined) return item.kind
  if (item.ExtendError.startsWith('ValueMissing ')) return 'missing'
  const reason = reasonOf(item)
  if (SUM.test(reason)) return 'sum'
  return Object.hasOwn(KINDS, reason) ? KINDS[reason as keyof typeof KINDS] : 'other'
}

export function reasonOf(item: ErrorItem): string {
  return /\(([\s\S]*)\)$/.exec(item.ExtendError)?.[1] ?? ''
}
