/** A problem of a record, and its message. Only this file writes messages, and none contains a submitted value. */
import { STATE, type State } from '../plan/slots.ts'
import { PROBLEM_SENTENCES } from '../words/sentences.ts'
import { type Words, sentenceIn } from '../words/words.ts'

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

const SUM_REASON = 'the sum of the given item values does not coincide with the provided total, computed sum '

export function sumReason(sum: number): string {
  return `${SUM_REASON}${sum}`
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

/** The same with a sentence in the language of the answer; what programs read is the same in every language. */
function printProblemIn(words: Words, problem: Problem): string {
  return `${printProblem(problem).slice(0, -1)},"text":${JSON.stringify(problemIn(words, problem))}}`
}

/** A problem in words. The figure of a sum is the one figure that a message may have. */
export function problemIn(words: Words | undefined, { field: name, reason }: Problem): string {
  const field = { field: name }
  if (reason === undefined) return sentenceIn(words, { text: PROBLEM_SENTENCES.missing, parts: { field } })
  const sum = reason.startsWith(SUM_REASON) ? Number(reason.slice(SUM_REASON.length)) : undefined
  if (sum !== undefined) return sentenceIn(words, { text: PROBLEM_SENTENCES.sum, parts: { field, sum } })
  return sentenceIn(words, { text: PROBLEM_SENTENCES.wrong, parts: { field, reason: { phrase: reason } } })
}

/** The value of `error_message` for a record's problems. */
export function printProblems(problems: readonly Problem[], words?: Words): string {
  if (problems.length === 0) return 'null'
  const print = words === undefined ? printProblem : (each: Problem) => printProblemIn(words, each)
  return `[${problems.map((each) => print(each)).join(',')}]`
}
