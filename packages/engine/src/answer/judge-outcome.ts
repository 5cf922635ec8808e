/** Judges one outcome like a record: all problems, or the cell in which it is counted. */
import { judgeIdx, recordProblem } from './assess.ts'
import {
  type Cell,
  OUTCOME_KINDS,
  type OpenedReceipt,
  type OutcomeKind,
  type OutcomeRules,
  type ReceiptPlace,
  type ShadowCell,
  UNITS,
  flagOf,
} from '../outcomes/outcome-rules.ts'
import { type Problem, REASONS, valueError, valueMissing } from '../judge/problem.ts'
import { capitalise } from '../plan/plan.ts'
import type { JsonObject } from '../read/read-record.ts'

const FIELDS = ['receipt', 'risk', 'outcome', 'digest', 'scored', 'group', 'was', 'shadowRisk'] as const
type Field = (typeof FIELDS)[number]
/** The width of a bin of risks, in ten-thousandths. */
const BIN_UNITS = 10
const DIGEST = /^sha-256=:([A-Za-z0-9+/]{43}=):$/
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/
/** The place of each is its value. */
const CODES: readonly unknown[] = ['No', 'Yes']
const NAMES: ReadonlySet<string> = new Set(['idx', ...FIELDS])

/** A valid value in a list, or the text of the problem. */
type Read<T> = readonly [T] | string

export interface ElementPlace {
  readonly idx: number | null
  /** The idx, or the position of an element without one. */
  readonly number: number
  /** Keys that are given twice. */
  readonly names: ReadonlySet<string>
  readonly isDuplicate: boolean
}

/** What is counted of an element: its cell, the kind that it takes back, and what the shadow said. */
export interface Found {
  readonly cell: Readonly<Cell>
  readonly was: number | undefined
  readonly shadow: Readonly<ShadowCell> | undefined
  readonly receipt: ReceiptPlace | undefined
}

/** All problems of an element, in the order of the fields; or what is counted of it. */
export function judgeOutcome(
  element: JsonObject,
  place: ElementPlace,
  rules: OutcomeRules,
): readonly Problem[] | Found {
  const { idx, number, names, isDuplicate } = place
  const keys = Object.keys(element)
  const problems = [...judgeIdx(element['idx'], idx, number, names.has('idx'), isDuplicate)]
  if (keys.length > rules.maxKeys)
    return [recordProblem('record', number, REASONS.tooManyFields), ...problems]
  const refuse = (field: string, reason: string): void => {
    problems.push(outcomeError(field, number, reason))
  }
  const read = <T>(field: Field, valueOf: (given: unknown) => Read<T>, absent?: T): T | undefined => {
    const given = element[field] ?? undefined
    const value = names.has(field) ? REASONS.givenTwice : given === undefined ? [absent] : valueOf(given)
    if (typeof value === 'string') refuse(field, value)
    else if (value[0] === undefined) problems.push(valueMissing(field, true))
    else return value[0]
    return undefined
  }
  // What is absent of an answer is in its receipt; what is given must be the same.
  const hasReceipt = names.has('receipt') || (element['receipt'] ?? undefined) !== undefined
  const receipt = hasReceipt ? read('receipt', (given) => receiptOf(given, rules)) : undefined
  const readOfAnswer = <T>(
    field: Field,
    valueOf: (given: unknown) => Read<T>,
    inReceipt?: T,
  ): T | undefined => {
    const isAbsent = !names.has(field) && (element[field] ?? undefined) === undefined
    if (hasReceipt && isAbsent) return inReceipt
    const value = read(field, valueOf)
    const isOther = value !== undefined && inReceipt !== undefined && value !== inReceipt
    if (isOther) refuse(field, REASONS.notPermitted)
    return isOther ? undefined : value
  }
  const state = rules.states[receipt?.digest ?? digestIn(element['digest'])] ?? rules.states[rules.present]
  const isCode = state?.output === 'yes-no'
  const units = readOfAnswer(
    'risk',
    isCode ? codeOf : unitsOf,
    receipt && (isCode ? flagOf(receipt.units, state.threshold) : receipt.units),
  )
  const outcome = read('outcome', (given) => outcomeOf(given, receipt?.month ?? element['scored'], rules))
  const digest = readOfAnswer(
    'digest',
    (given) => (Object.hasOwn(rules.states, digestIn(given)) ? [digestIn(given)] : REASONS.notPermitted),
    receipt?.digest,
  )
  const month = readOfAnswer('scored', (given) => monthOf(given, rules), receipt?.month)
  const group = read(
    'group',
    (given) => (rules.groups.includes(given as string) ? [given as string] : REASONS.notPermitted),
    '',
  )
  // The kind that was sent; 0 stands for no correction in place of undefined, so kinds count from 1 here.
  const was = read('was', (given) => wasOf(given, outcome), 0)
  // A receipt that was made without a shadow has no risk of it.
  const sealedShadow = receipt?.shadowUnits === 0 ? undefined : receipt?.shadowUnits
  const shadowUnits = hasShadowRisk(element, names)
    ? readOfAnswer('shadowRisk', (given) => shadowUnitsOf(given, rules), sealedShadow)
    : sealedShadow
  for (const name of new Set([...names, ...keys])) {
    const isLike = !NAMES.has(name) && NAMES.has(name.toLowerCase())
    if (!NAMES.has(name) && (names.has(name) || isLike || rules.reportUnknown))
      refuse(name.slice(0, 128), names.has(name) ? REASONS.givenTwice : REASONS.unknownField)
  }
  if (
    units === undefined ||
    outcome === undefined ||
    digest === undefined ||
    month === undefined ||
    problems.length > 0
  )
    return problems
  const flagged = isCode ? units : flagOf(units, state?.threshold)
  const cell = {
    digest,
    month,
    group: group ?? '',
    flagged,
    outcome,
    bin: isCode ? -1 : Math.floor(units / BIN_UNITS),
    number: 1,
    units: isCode ? 0 : units,
  }
  const kindBefore = was === undefined || was === 0 ? undefined : was - 1
  if (shadowUnits === undefined || rules.shadowThreshold === undefined)
    return { cell, was: kindBefore, receipt, shadow: undefined }
  const shadow = {
    digest,
    month,
    flagged,
    outcome,
    number: 1,
    units: shadowUnits,
    answerUnits: cell.units,
    answerBin: cell.bin,
    shadowBin: Math.floor(shadowUnits / BIN_UNITS),
    shadowFlagged: flagOf(shadowUnits, rules.shadowThreshold),
  }
  return { cell, was: kindBefore, receipt, shadow }
}

function hasShadowRisk(element: JsonObject, names: ReadonlySet<string>): boolean {
  return names.has('shadowRisk') || (element['shadowRisk'] ?? undefined) !== undefined
}

export function outcomeError(field: string, number: number | null, reason: string): Problem {
  return valueError({ field, item: capitalise(field), date: '', idx: number ?? 0 }, reason, true)
}

/** The number of a kind; −1 for anything else. */
function kindOf(given: unknown): number {
  return typeof given === 'boolean' ? Number(given) : OUTCOME_KINDS.indexOf(given as OutcomeKind)
}

function outcomeOf(given: unknown, scored: unknown, { knownMonth, isDeath }: OutcomeRules): Read<number> {
  const kind = kindOf(given)
  if (kind < 0 || (isDeath === true && OUTCOME_KINDS[kind] === 'diedFirst')) return REASONS.notPermitted
  const needsEnd = OUTCOME_KINDS[kind] === 'none' || OUTCOME_KINDS[kind] === 'unknown'
  // Months of this form are in order as texts too. What is no month is a problem of its own.
  const isEarly = typeof scored === 'string' && MONTH.test(scored) && scored > knownMonth
  return needsEnd && isEarly ? REASONS.beforeHorizon : [kind]
}

/** The kind that a correction takes back, plus 1. */
function wasOf(given: unknown, outcome: number | undefined): Read<number> {
  const kind = kindOf(given)
  return kind < 0 || kind === outcome ? REASONS.notPermitted : [kind + 1]
}

function shadowUnitsOf(given: unknown, { shadowThreshold }: OutcomeRules): Read<number> {
  return shadowThreshold === undefined ? REASONS.notPermitted : unitsOf(given)
}

/** The digest in a text such as sha-256=:…:, else an empty text. */
function digestIn(given: unknown): string {
  return (typeof given === 'string' ? DIGEST.exec(given)?.[1] : undefined) ?? ''
}

/** A risk of an answer in ten-thousandths. */
function unitsOf(given: unknown): Read<number> {
  if (typeof given !== 'number') return REASONS.notANumber
  const units = Math.round(given * UNITS)
  return units >= 1 && units < UNITS && units / UNITS === given ? [units] : REASONS.outOfRange
}

function codeOf(given: unknown): Read<number> {
  const code = CODES.indexOf(given)
  return code < 0 ? REASONS.notPermitted : [code]
}

function receiptOf(given: unknown, rules: OutcomeRules): Read<OpenedReceipt> {
  const receipt = typeof given === 'string' ? rules.openReceipt?.(given) : undefined
  if (receipt === undefined || !Object.hasOwn(rules.states, receipt.digest)) return REASONS.notPermitted
  const month = monthOf(receipt.month, rules)
  return typeof month === 'string' ? month : [receipt]
}

function monthOf(given: unknown, { month, oldestMonth }: OutcomeRules): Read<string> {
  if (typeof given !== 'string' || !MONTH.test(given)) return REASONS.notADate
  // Months of this form are in order as texts too.
  if (given > month) return REASONS.dateInFuture
  return given < oldestMonth ? REASONS.outOfRange : [given]
}
