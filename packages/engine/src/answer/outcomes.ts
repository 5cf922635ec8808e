/** Reads what came true of earlier answers: judges each element like a record, and counts the good ones. Nothing else of them is kept. */
import { recordProblem, usableIdx } from './assess.ts'
import { parseBody } from './answer-builder.ts'
import { type Found, judgeOutcome, outcomeError } from './judge-outcome.ts'
import {
  type Cell,
  type OutcomeRules,
  type ReadOutcomes,
  type ReceiptPlace,
  type ShadowCell,
  cellKey,
  receiptKey,
} from '../outcomes/outcome-rules.ts'
import { type Problem, REASONS, printProblems } from '../judge/problem.ts'
import type { JsonObject } from '../read/read-record.ts'
import { NO_KEYS, countKeys, duplicatesAmong, findRepeatedKeys } from '../read/repeated-keys.ts'

export function readOutcomes(body: Uint8Array, rules: OutcomeRules): ReadOutcomes {
  const parsed = parseBody(body, rules, 'outcomes')
  const elements = parsed.value as readonly unknown[]
  const repeated = findRepeatedKeys(parsed, countKeys(elements))
  const idxs = elements.map((element, at) => {
    const idx = isObject(element) && !repeated.get(at)?.names.has('idx') ? usableIdx(element['idx']) : null
    return idx ?? Number.NaN
  })
  const ambiguousIdxs = [...repeated.values()].flatMap((keys) => keys.idxs)
  const duplicates = duplicatesAmong(idxs, ambiguousIdxs)
  const cells = new Map<string, Cell>()
  const shadowCells = new Map<string, ShadowCell>()
  const corrected = new Map<string, Cell>()
  let counted = 0
  const refused: number[] = []
  const refusedBefore = new Set(rules.refused)
  const receipts = new Map<string, ReceiptPlace>()
  const newReceipts = new Map<string, ReceiptPlace>()
  /** Whether the receipt of an element stands in its way: one has an outcome once, and only then it can be corrected. */
  const isOutOfTurn = (receipt: ReceiptPlace, isCorrection: boolean): boolean => {
    const key = receiptKey(receipt)
    receipts.set(key, receipt)
    const hasOutcome = newReceipts.has(key) || rules.received?.has(key) === true
    if (isCorrection) return !hasOutcome && rules.received !== undefined
    if (!hasOutcome) newReceipts.set(key, receipt)
    return hasOutcome
  }
  /** Takes an element, unless nothing is counted in the cell that it corrects, or its receipt has an outcome. */
  const add = ({ cell, was, shadow, receipt }: Found, at: number): boolean => {
    if (refusedBefore.has(at) || (receipt !== undefined && isOutOfTurn(receipt, was !== undefined))) {
      refused.push(at)
      return false
    }
    if (was !== undefined) {
      const before = { ...cell, outcome: was, number: -1, units: -cell.units }
      const key = cellKey(before)
      corrected.set(key, before)
      const left = rules.counted === undefined ? 1 : (rules.counted[key] ?? 0) + (cells.get(key)?.number ?? 0)
      if (left < 1) {
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
      ? judgeOutcome(element, { idx, number: idx ?? at, names, isDuplicate: duplicates.has(at) }, rules)
      : [recordProblem('record', at, REASONS.notAnObject)]
    let problems = 'cell' in found ? undefined : found
    if ('cell' in found && !add(found, at)) problems = [outOfTurn(found, idx)]
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
    receipts: [...receipts.values()],
    newReceipts: [...newReceipts.values()],
  }
}

/** Why an element without other problems is not counted. */
function outOfTurn({ was }: Found, idx: number | null): Problem {
  return was === undefined
    ? outcomeError('receipt', idx, REASONS.duplicate)
    : outcomeError('was', idx, REASONS.notPermitted)
}

function shadowKey(cell: ShadowCell): string {
  const { digest, month, flagged, shadowFlagged, answerBin, shadowBin, outcome } = cell
  return JSON.stringify([digest, month, flagged, shadowFlagged, answerBin, shadowBin, outcome])
}

/** What is taken and put back in one body changes nothing. */
function isChange({ number, units }: Pick<Cell, 'number' | 'units'>): boolean {
  return number !== 0 || units !== 0
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
