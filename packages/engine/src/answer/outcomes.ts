/** Reads what came true of earlier answers: judges each element like a record, and counts the good ones. Nothing else of them is kept. */
import { judgeIdx, recordProblem, usableIdx } from './assess.ts'
import { parseBody } from './answer-builder.ts'
import { type Problem, REASONS, printProblems, valueError, valueMissing } from '../judge/problem.ts'
import { capitalise } from '../plan/plan.ts'
import type { JsonObject } from '../read/read-record.ts'
import { NO_KEYS, countKeys, duplicatesAmong, findRepeatedKeys } from '../read/repeated-keys.ts'

/** How the risks of a state of a deployment are read. */
export interface StateOutput {
  readonly output: 'number' | 'yes-no'
  /** The risk from which a patient is flagged; null where the model has no threshold. */
  readonly threshold: number | null
}

/** What can have happened, in the order of the numbers that are stored. `true` is `event`, `false` is `none`. */
export const OUTCOME_KINDS = ['none', 'event', 'diedFirst', 'unknown'] as const
export type OutcomeKind = (typeof OUTCOME_KINDS)[number]

export interface OutcomeRules {
  /** The states of the deployment by digest, and the digest of the present one. */
  readonly states: Readonly<Record<string, StateOutput>>
  readonly present: string
  readonly groups: readonly string[]
  /** The present month, as in 2026-11. */
  readonly month: string
  /** The oldest month of scoring whose outcomes are accepted. */
  readonly oldestMonth: string
  /** The last month of whose first day the horizon has passed: of later ones nobody can be known to have had no event. */
  readonly knownMonth: string
  /** Whether death is the outcome itself, so that nobody can die before it. */
  readonly isDeath?: boolean
  /** The risk from which the shadow model flags; undefined without a shadow, and null where its model has no threshold. */
  readonly shadowThreshold?: number | null | undefined
  /** How many are counted in the cells that corrections take from, by `cellKey`. Without it every correction is taken. */
  readonly counted?: Readonly<Record<string, number>> | undefined
  /** The positions of corrections that were refused when the same body came before. */
  readonly refused?: readonly number[] | undefined
  readonly reportUnknown: boolean
  readonly maxRecords: number
  readonly maxDepth: number
  readonly maxKeys: number
}

/** `units` is the sum of the risks in ten-thousandths. A Yes or No has no number, and the bin −1. Corrections take away. */
interface Cell extends Readonly<Record<'digest' | 'month' | 'group', string>> {
  readonly bin: number
  readonly flagged: number
  readonly outcome: number
  number: number
  units: number
}

/** What both models said of patients with one kind of outcome. */
export interface ShadowCell extends Readonly<Record<'digest' | 'month', string>> {
  readonly flagged: number
  readonly shadowFlagged: number
  /** The bins of both risks; that of the answer is −1 for a Yes or No. */
  readonly answerBin: number
  readonly shadowBin: number
  readonly outcome: number
  number: number
  /** The sum of the risks of the shadow, and of those of the answer. */
  units: number
  answerUnits: number
}

/** The answer, and what is to be counted. */
export interface ReadOutcomes {
  readonly text: string
  readonly records: number
  readonly counted: number
  readonly cells: readonly Readonly<Cell>[]
  readonly shadowCells: readonly Readonly<ShadowCell>[]
  /** The cells that corrections would take from. Where there are any, read again with `counted`. */
  readonly corrected: readonly Readonly<Cell>[]
  /** The positions of corrections that take from a cell in which nothing is counted. */
  readonly refused: readonly number[]
}

const FIELDS = ['risk', 'outcome', 'digest', 'scored', 'group', 'was', 'shadowRisk'] as const
type Field = (typeof FIELDS)[number]
const UNITS = 10_000
/** The width of a bin of risks, in ten-thousandths. */
const BIN_UNITS = 10
const DIGEST = /^sha-256=:([A-Za-z0-9+/]{43}=):$/
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/
/** The place of each is its value. */
const CODES: readonly unknown[] = ['No', 'Yes']
const NAMES: ReadonlySet<string> = new Set(['idx', ...FIELDS])

export function readOutcomes(body: Uint8Array, rules: OutcomeRules): ReadOutcomes {
  const parsed = parseBody(body, rules, 'outcomes')
  const elements = parsed.value as readonly unknown[]
  const repeated = findRepeatedKeys(parsed, countKeys(elements))
  const idxs = elements.map((element, at) => {
    const idx = isObject(element) && !repeated.get(at)?.names.has('idx') ? usableIdx(element['idx']) : null
    return idx ?? Number.NaN
  })
  const duplicates = duplicatesAmong(idxs, new Set([...repeated.values()].flatMap((keys) => keys.idxs)))
  const cells = new Map<string, Cell>()
  const shadowCells = new Map<string, ShadowCell>()
  const corrected = new Map<string, Cell>()
  let counted = 0
  /** Takes a correction, unless nothing is counted in the cell that it takes from. */
  const refused: number[] = []
  const add = ({ cell, was, shadow }: Found, at: number): boolean => {
    if (was !== undefined) {
      const before = { ...cell, outcome: was, number: -1, units: -cell.units }
      const key = cellKey(before)
      corrected.set(key, before)
      const left = rules.counted === undefined ? 1 : (rules.counted[key] ?? 0) + (cells.get(key)?.number ?? 0)
      if (left < 1 || rules.refused?.includes(at) === true) {
        refused.push(at)
        return false
      }
      addTo(cells, key, before)
      if (shadow !== undefined) {
        const { units, answerUnits } = shadow
        const taken = { ...shadow, outcome: was, number: -1, units: -units, answerUnits: -answerUnits }
        addTo(shadowCells, shadowKey(taken), taken)
      }
    }
    addTo(cells, cellKey(cell), cell)
    if (shadow !== undefined) addTo(shadowCells, shadowKey(shadow), shadow)
    return true
  }
  const results = elements.map((element, at) => {
    const idx = Number.isNaN(idxs[at]) ? null : (idxs[at] as number)
    const names = repeated.get(at)?.names ?? NO_KEYS.names
    const found = isObject(element)
      ? judge(element, { idx, number: idx ?? at, names, isDuplicate: duplicates.has(at) }, rules)
      : [recordProblem('record', at, REASONS.notAnObject)]
    let problems = 'cell' in found ? undefined : found
    if ('cell' in found && !add(found, at)) problems = [outcomeError('was', idx, REASONS.notPermitted)]
    if (problems === undefined) counted++
    const text = problems === undefined ? 'null' : printProblems(problems)
    return `{"idx":${idx},"counted":${problems === undefined},"error_message":${text}}`
  })
  return {
    text: `[${results.join(',')}]`,
    records: elements.length,
    counted,
    cells: [...cells.values()].filter(isChange),
    shadowCells: [...shadowCells.values()].filter(isChange),
    corrected: [...corrected.values()],
    refused,
  }
}

/** Names a cell of counts. */
export function cellKey(
  cell: Pick<Cell, 'digest' | 'month' | 'group' | 'bin' | 'flagged' | 'outcome'>,
): string {
  const { digest, month, group, bin, flagged, outcome } = cell
  return JSON.stringify([digest, month, group, bin, flagged, outcome])
}

function shadowKey(cell: ShadowCell): string {
  const { digest, month, flagged, shadowFlagged, answerBin, shadowBin, outcome } = cell
  return JSON.stringify([digest, month, flagged, shadowFlagged, answerBin, shadowBin, outcome])
}

/** What is taken and put back in one body changes nothing. */
function isChange({ number, units }: Pick<Cell, 'number' | 'units'>): boolean {
  return number !== 0 || units !== 0
}

/** A valid value in a list, or the text of the problem. */
type Read<T> = readonly [T] | string

interface Place {
  readonly idx: number | null
  /** The idx, or the position of an element without one. */
  readonly number: number
  /** Keys that are given twice. */
  readonly names: ReadonlySet<string>
  readonly isDuplicate: boolean
}

/** What is counted of an element: its cell, the kind that it takes back, and what the shadow said. */
interface Found {
  readonly cell: Readonly<Cell>
  readonly was: number | undefined
  readonly shadow: Readonly<ShadowCell> | undefined
}

/** All problems of an element, in the order of the fields; or what is counted of it. */
function judge(element: JsonObject, place: Place, rules: OutcomeRules): readonly Problem[] | Found {
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
  const state = rules.states[digestIn(element['digest'])] ?? rules.states[rules.present]
  const units = read('risk', state?.output === 'yes-no' ? codeOf : unitsOf)
  const outcome = read('outcome', (given) => outcomeOf(given, element['scored'], rules))
  const digest = read('digest', (given) =>
    Object.hasOwn(rules.states, digestIn(given)) ? [digestIn(given)] : REASONS.notPermitted,
  )
  const month = read('scored', (given) => monthOf(given, rules))
  const group = read(
    'group',
    (given) => (rules.groups.includes(given as string) ? [given as string] : REASONS.notPermitted),
    '',
  )
  // The kind that was sent; 0 stands for no correction in place of undefined, so kinds count from 1 here.
  const was = read('was', (given) => wasOf(given, outcome), 0)
  const shadowUnits = read('shadowRisk', (given) => shadowUnitsOf(given, rules), 0)
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
  const isCode = state?.output === 'yes-no'
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
  if (shadowUnits === undefined || shadowUnits === 0) return { cell, was: kindBefore, shadow: undefined }
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
  return { cell, was: kindBefore, shadow }
}

/** Whether a risk in ten-thousandths reaches a threshold. */
export function flagOf(units: number, threshold: number | null | undefined): number {
  return units >= Math.ceil((threshold ?? 2) * UNITS - 1e-9) ? 1 : 0
}

function outcomeError(field: string, number: number | null, reason: string): Problem {
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

function monthOf(given: unknown, { month, oldestMonth }: OutcomeRules): Read<string> {
  if (typeof given !== 'string' || !MONTH.test(given)) return REASONS.notADate
  // Months of this form are in order as texts too.
  if (given > month) return REASONS.dateInFuture
  return given < oldestMonth ? REASONS.outOfRange : [given]
}

function addTo<Each extends Cell | ShadowCell>(
  cells: Map<string, Each>,
  key: string,
  cell: Readonly<Each>,
): void {
  const known = cells.get(key)
  if (known === undefined) cells.set(key, { ...cell })
  else {
    known.number += cell.number
    known.units += cell.units
    if (isOfShadow(known)) known.answerUnits += (cell as Partial<ShadowCell>).answerUnits ?? 0
  }
}

function isOfShadow(cell: Cell | ShadowCell): cell is ShadowCell {
  return 'answerUnits' in cell
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
