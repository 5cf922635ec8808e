/**
 * Values that depend on a record. A part of the file is evaluated as the standard says, but it reads features by asking
 * questions; where the answer is open, it is evaluated again for each answer. What comes out is a tree of questions.
 */

import type { Element } from './xml.ts'

/** Whether a value is below an edge, as 64-bit numbers; or whether it is one of some codes. */
export type Question =
  | { readonly field: string; readonly edge: number; readonly written?: Written }
  | { readonly field: string; readonly codes: readonly string[] }

/** The comparison that an edge stands for, as the file has it. */
export interface Written {
  readonly below?: number
  readonly upTo?: number
  readonly rounding: 'none' | 'value' | 'both'
}

export interface Fork<T> {
  readonly question: Question
  readonly yes?: Cases<T> | undefined
  readonly no?: Cases<T> | undefined
  /** The same object as `yes` or `no` where an absent value goes there too. */
  readonly absent?: Cases<T> | undefined
}
export type Cases<T> = { readonly end: T } | Fork<T>

/** Undefined: the feature is absent. */
export type Ask = (question: Question) => boolean | undefined

/** What a feature can still be: numbers from `from` to below `edge`; codes of `only`, or all `except` some; or absent. */
export interface State {
  readonly from: number
  readonly edge: number
  readonly only?: readonly string[] | undefined
  readonly except: readonly string[]
  readonly present: boolean
  readonly absent: boolean
}

/** Questions one after the other, in one part of the file. */
const MOST_QUESTIONS = 1_000

/** A run is much more than a step, and repeats what the runs before it asked. */
const COST_OF_A_RUN = 8

/** What each feature can still be, after the questions on the way. */
export class Known {
  readonly questions: number
  private readonly first: (field: string) => State
  private readonly changed: ReadonlyMap<string, State>

  constructor(
    first: (field: string) => State,
    changed: ReadonlyMap<string, State> = new Map(),
    questions = 0,
  ) {
    this.first = first
    this.changed = changed
    this.questions = questions
  }

  stateOf(field: string): State {
    return this.changed.get(field) ?? this.first(field)
  }

  narrowed(field: string, state: State): Known {
    return new Known(this.first, new Map(this.changed).set(field, state), this.questions + 1)
  }
}

type Answer = 'yes' | 'no' | 'absent'
const ANSWERS = { yes: true, no: false, absent: undefined }

export function present(field: string): Question {
  return { field, edge: Infinity }
}

export function isPresence(question: Question): boolean {
  return 'edge' in question && question.edge === Infinity
}

class OpenQuestion extends Error {
  readonly question: Question
  constructor(question: Question) {
    super('open')
    this.question = question
  }
}

/** `of` is the element that is refused where it asks too many questions. */
export function explore<T>(of: Element, known: Known, run: (ask: Ask) => T): Cases<T> {
  of.take(COST_OF_A_RUN * (1 + known.questions))
  try {
    return { end: run((question) => answerTo(known, question)) }
  } catch (error) {
    if (!(error instanceof OpenQuestion)) throw error
    const { question } = error
    if (known.questions >= MOST_QUESTIONS)
      of.refuse(`asks more than ${MOST_QUESTIONS.toLocaleString('en')} questions one after the other`)
    const sides = sidesOf(known.stateOf(question.field), question)
    const side = (answer: Answer): Cases<T> | undefined => {
      const state = sides[answer]
      return state && explore(of, known.narrowed(question.field, state), run)
    }
    return fork({ question, yes: side('yes'), no: side('no'), absent: side('absent') })
  }
}

/** Goes on after each end, once for all answers that lead to it together. */
export function expand<T, U>(
  cases: Cases<T>,
  known: Known,
  next: (end: T, known: Known) => Cases<U>,
): Cases<U> {
  if ('end' in cases) return next(cases.end, known)
  const { question, yes, no, absent } = cases
  const sides = sidesOf(known.stateOf(question.field), question)
  const follow = (side: Cases<T> | undefined, answer: Answer): Cases<U> | undefined => {
    const state = sides[answer]
    if (side === undefined || state === undefined) return undefined
    const isAbsentToo = sides.absent !== undefined && absent === side
    return expand(side, known.narrowed(question.field, { ...state, absent: isAbsentToo }), next)
  }
  const first = follow(yes, 'yes')
  const second = follow(no, 'no')
  const thirdOf = (): Cases<U> | undefined => {
    if (absent === yes) return first
    return absent === no ? second : follow(absent, 'absent')
  }
  return { question, yes: first, no: second, absent: thirdOf() }
}

export function mapEnds<T, U>(cases: Cases<T>, map: (end: T) => U): Cases<U> {
  if ('end' in cases) return { end: map(cases.end) }
  const side = (each: Cases<T> | undefined): Cases<U> | undefined => each && mapEnds(each, map)
  return fork({
    question: cases.question,
    yes: side(cases.yes),
    no: side(cases.no),
    absent: side(cases.absent),
  })
}

/** What is left when no feature is absent. */
export function whenPresent<T>(cases: Cases<T>): Cases<T> {
  if ('end' in cases) return cases
  const yes = cases.yes && whenPresent(cases.yes)
  const no = cases.no && whenPresent(cases.no)
  if (yes === undefined && no === undefined && cases.absent !== undefined) return whenPresent(cases.absent)
  return fork({ question: cases.question, yes, no })
}

export function endsOf<T>(cases: Cases<T> | undefined): readonly T[] {
  if (cases === undefined) return []
  return 'end' in cases ? [cases.end] : [cases.yes, cases.no, cases.absent].flatMap(endsOf)
}

export function forksIn<T>(cases: Cases<T> | undefined): readonly Fork<T>[] {
  if (cases === undefined || 'end' in cases) return []
  return [cases, ...[cases.yes, cases.no, cases.absent].flatMap(forksIn)]
}

export function questionsIn<T>(cases: Cases<T> | undefined): readonly Question[] {
  return forksIn(cases).map(({ question }) => question)
}

function answerTo(known: Known, question: Question): boolean | undefined {
  const [first, ...others] = Object.keys(sidesOf(known.stateOf(question.field), question)) as Answer[]
  if (first === undefined || others.length > 0) throw new OpenQuestion(question)
  return ANSWERS[first]
}

function sidesOf(state: State, question: Question): Partial<Record<Answer, State>> {
  const sides = state.present ? sidesOfPresent({ ...state, absent: false }, question) : {}
  if (state.absent) sides.absent = { ...state, present: false, absent: true }
  return sides
}

function sidesOfPresent(state: State, question: Question): Partial<Record<Answer, State>> {
  const sides: Partial<Record<Answer, State>> = {}
  if ('edge' in question) {
    const { edge } = question
    if (state.from < edge) sides.yes = { ...state, edge: Math.min(state.edge, edge) }
    if (state.edge > edge) sides.no = { ...state, from: Math.max(state.from, edge) }
    return sides
  }
  const codes = new Set(question.codes)
  const except = new Set(state.except)
  const members = (state.only ?? question.codes).filter((code) => codes.has(code) && !except.has(code))
  const others = state.only?.filter((code) => !codes.has(code))
  if (members.length > 0) sides.yes = { ...state, only: members }
  if (others?.length !== 0) sides.no = { ...state, only: others, except: [...state.except, ...codes] }
  return sides
}

/** A fork in its shortest form: no question whose answer does not matter, and absent values with others where they can be. */
function fork<T>({ question, yes, no, absent }: Fork<T>): Cases<T> {
  const isSame = yes !== undefined && !('end' in yes) && yes.question.field === question.field
  if (isPresence(question) && isSame && yes.absent === undefined && absent !== undefined)
    return fork({ ...yes, absent })
  const [first, ...others] = [yes, no, absent].filter((side) => side !== undefined)
  if (first !== undefined && others.every((side) => same(side, first))) return first
  const cases = { question, yes, no }
  return (absent && admit(cases, question.field, absent)) ?? { ...cases, absent }
}

/** The same cases with the absent values of a feature going where they end as they should; undefined where there is no such end. */
function admit<T>(cases: Cases<T>, field: string, absent: Cases<T>): Cases<T> | undefined {
  if (same(cases, absent)) return cases
  if ('end' in cases || cases.question.field !== field || isPresence(cases.question)) return undefined
  const yes = cases.yes && admit(cases.yes, field, absent)
  if (yes !== undefined) return { ...cases, yes, absent: yes }
  const no = cases.no && admit(cases.no, field, absent)
  return no && { ...cases, no, absent: no }
}

function same<T>(one: Cases<T> | undefined, other: Cases<T> | undefined): boolean {
  if (one === other) return true
  if (one === undefined || other === undefined) return false
  if ('end' in one || 'end' in other) {
    if (!('end' in one && 'end' in other)) return false
    if (typeof one.end !== 'object' || typeof other.end !== 'object') return Object.is(one.end, other.end)
    return JSON.stringify(one.end) === JSON.stringify(other.end)
  }
  const sides = ['yes', 'no', 'absent'] as const
  const isOneQuestion = JSON.stringify(one.question) === JSON.stringify(other.question)
  return isOneQuestion && sides.every((side) => same(one[side], other[side]))
}

const doubles = new Float64Array(1)
const bits = new BigInt64Array(doubles.buffer)

/** The first number for which something holds that holds for all larger ones: −Infinity if for all, Infinity if for none. */
export function firstThat(holds: (value: number) => boolean): number {
  const numberAt = (place: bigint): number => {
    bits[0] = place < 0n ? BigInt.asIntN(64, -place | (1n << 63n)) : place
    return doubles[0] as number
  }
  doubles[0] = Infinity
  let high = bits[0] as bigint
  let low = -high
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (holds(numberAt(middle))) high = middle
    else low = middle
  }
  return holds(-Number.MAX_VALUE) ? -Infinity : numberAt(high)
}
