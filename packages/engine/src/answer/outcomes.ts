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

export interface OutcomeRules {
  /** The states of the deployment by digest, and the digest of the present one. */
  readonly states: Readonly<Record<string, StateOutput>>
  readonly present: string
  readonly groups: readonly string[]
  /** The present month, as in 2026-11. */
  readonly month: string
  /** The oldest month of scoring whose outcomes are accepted. */
  readonly oldestMonth: string
  readonly reportUnknown: boolean
  readonly maxRecords: number
  readonly maxDepth: number
  readonly maxKeys: number
}

/** `units` is the sum of the risks in ten-thousandths. A Yes or No has no number, and the bin −1. */
interface Cell extends Readonly<Record<'digest' | 'month' | 'group', string>> {
  readonly bin: number
  readonly flagged: number
  readonly outcome: number
  number: number
  units: number
}

/** The answer, and what is to be counted. */
export interface ReadOutcomes {
  readonly text: string
  readonly records: number
  readonly counted: number
  readonly cells: readonly Readonly<Cell>[]
}

const FIELDS = ['risk', 'outcome', 'digest', 'scored', 'group'] as const
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
  let counted = 0
  const results = elements.map((element, at) => {
    const idx = Number.isNaN(idxs[at]) ? null : (idxs[at] as number)
    const names = repeated.get(at)?.names ?? NO_KEYS.names
    const found = isObject(element)
      ? judge(element, { idx, number: idx ?? at, names, isDuplicate: duplicates.has(at) }, rules)
      : [recordProblem('record', at, REASONS.notAnObject)]
    if ('outcome' in found) {
      counted++
      addTo(cells, found)
    }
    return `{"idx":${idx},"counted":${'outcome' in found},"error_message":${'outcome' in found ? 'null' : printProblems(found)}}`
  })
  return { text: `[${results.join(',')}]`, records: elements.length, counted, cells: [...cells.values()] }
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

/** All problems of an element, in the order of the fields; or what is counted of it. */
function judge(element: JsonObject, place: Place, rules: OutcomeRules): readonly Problem[] | Readonly<Cell> {
  const { idx, number, names, isDuplicate } = place
  const keys = Object.keys(element)
  const problems = [...judgeIdx(element['idx'], idx, number, names.has('idx'), isDuplicate)]
  if (keys.length > rules.maxKeys)
    return [recordProblem('record', number, REASONS.tooManyFields), ...problems]
  const refuse = (field: string, reason: string): void => {
    problems.push(valueError({ field, item: capitalise(field), date: '', idx: number }, reason, true))
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
  const outcome = read('outcome', (given) =>
    typeof given === 'boolean' ? [Number(given)] : REASONS.notPermitted,
  )
  const digest = read('digest', (given) =>
    Object.hasOwn(rules.states, digestIn(given)) ? [digestIn(given)] : REASONS.notPermitted,
  )
  const month = read('scored', (given) => monthOf(given, rules))
  const group = read(
    'group',
    (given) => (rules.groups.includes(given as string) ? [given as string] : REASONS.notPermitted),
    '',
  )
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
  const flagged = isCode ? units : units >= Math.ceil((state?.threshold ?? 2) * UNITS - 1e-9) ? 1 : 0
  return {
    ...{ digest, month, group: group ?? '', flagged, outcome },
    ...{ bin: isCode ? -1 : Math.floor(units / BIN_UNITS), number: 1, units: isCode ? 0 : units },
  }
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

function addTo(cells: Map<string, Cell>, cell: Readonly<Cell>): void {
  const { digest, month, group, bin, flagged, outcome } = cell
  const key = JSON.stringify([digest, month, group, bin, flagged, outcome])
  const known = cells.get(key)
  if (known === undefined) cells.set(key, { ...cell })
  else {
    known.number++
    known.units += cell.units
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
