/** A problem of a record, and its message. Only this file writes messages, and none contains a submitted value. */
import { STATE, type State } from '../plan/slots.ts'

export type ProblemKind = 'ValueError' | 'ValueMissing'

export interface Problem {
  readonly field: string
  /** The date that the value relates to, DD-MM-YYYY, or an empty string. */
  readonly date: string
  readonly kind: ProblemKind
  /** The reason of a ValueError, from the closed list; undefined for a missing value. */
  readonly reason?: string
  readonly message: string
  /** Whether this problem keeps the record from being scored. */
  readonly blocking: boolean
}

/** The closed list of reasons that need no figure. */
export const REASONS = {
  outOfRange: 'out of range',
  notAnInteger: 'not an integer',
  notANumber: 'not a number',
  notPermitted: 'not a permitted value',
  notADate: 'not a valid date',
  dateInFuture: 'date in the future',
  duplicate: 'duplicate',
  givenTwice: 'given twice',
  notAnObject: 'not an object',
  tooManyFields: 'too many fields',
  unknownField: 'unknown field',
  notComputable: 'not computable',
  beforeHorizon: 'before the end of the horizon',
} as const

/** A state has the reason of its name. */
const REASON_OF_STATE = new Map<State, string | undefined>(
  Object.entries(STATE).map(([name, state]) => [state, REASONS[name as keyof typeof REASONS]]),
).set(STATE.otherCoding, REASONS.outOfRange)

/** The reason for a slot that is wrong. `figure` is the computed sum of a mismatch. */
export function reasonOf(state: State, figure: number): string {
  if (state === STATE.mismatch) return sumReason(figure)
  return REASON_OF_STATE.get(state) ?? REASONS.notComputable
}

export function sumReason(sum: number): string {
  return `the sum of the given item values does not coincide with the provided total, computed sum ${sum}`
}

export function valueError(
  place: { readonly field: string; readonly item: string; readonly date: string; readonly idx: number },
  reason: string,
  blocking: boolean,
): Problem {
  return {
    field: place.field,
    date: place.date,
    kind: 'ValueError',
    reason,
    message: `ValueError for value ${place.item} in idx ${place.idx} (${reason})`,
    blocking,
  }
}

export function valueMissing(field: string, blocking: boolean): Problem {
  return { field, date: '', kind: 'ValueMissing', message: `ValueMissing for value ${field}`, blocking }
}

/** The problem as an element of `error_message`. */
export function printProblem(problem: Problem): string {
  return `{"Field":${JSON.stringify(problem.field)},"FieldDate":"${problem.date}","ExtendError":${JSON.stringify(problem.message)}}`
}

/** The value of `error_message` for a record's problems. */
export function printProblems(problems: readonly Problem[]): string {
  return problems.length === 0 ? 'null' : `[${problems.map(printProblem).join(',')}]`
}
