/**
 * Outcomes that came with the risk of the shadow model too, as rows of its two tables. They are summed up and sorted before they reach the
 * thread of the store, as other counts are.
 */
import type { ShadowCell } from 'patient-risk-engine/outcomes'
import { parseJson } from 'patient-risk-engine/read'

/** A digest of the answer, a month, and numbers: the other keys, and what is added. */
export type ShadowRow = readonly [digest: string, month: string, ...numbers: number[]]

/** Rows as JSON, in parts of which one transaction adds one: the thread of the store keeps them as they are while they wait. */
export interface PackedShadow {
  readonly shadow_counts: readonly string[]
  readonly shadow_flags: readonly string[]
}

export type ShadowTable = keyof PackedShadow

export const SHADOW_TABLES: readonly ShadowTable[] = ['shadow_counts', 'shadow_flags']

/** Bins of the risk of the answer are kept in the same table as those of the shadow. */
export const ofAnswer = (bin: number): number => -1 - bin

export function packShadow(cells: readonly ShadowCell[], rowsOfAPart: number): PackedShadow {
  const risks = new Sums(2)
  const flags = new Sums(1)
  for (const cell of cells) {
    const { digest, month, flagged, shadowFlagged, answerBin, shadowBin, outcome, number } = cell
    risks.add(digest, month, [shadowBin, outcome], [number, cell.units])
    if (answerBin >= 0) risks.add(digest, month, [ofAnswer(answerBin), outcome], [number, cell.answerUnits])
    flags.add(digest, month, [flagged, shadowFlagged, outcome], [number])
  }
  return { shadow_counts: risks.parts(rowsOfAPart), shadow_flags: flags.parts(rowsOfAPart) }
}

export function rowsOf(part: string): readonly ShadowRow[] {
  return parseJson(part) as readonly ShadowRow[]
}

/** Rows with the same keys become one, in one order, so that two requests never wait for each other. */
class Sums {
  private readonly found = new Map<string, { readonly keys: ShadowRow; readonly sums: number[] }>()
  private readonly width: number

  constructor(width: number) {
    this.width = width
  }

  add(digest: string, month: string, keys: readonly number[], numbers: readonly number[]): void {
    const name = JSON.stringify([digest, month, ...keys])
    const known = this.found.get(name) ?? {
      keys: [digest, month, ...keys],
      sums: new Array<number>(this.width).fill(0),
    }
    this.found.set(name, known)
    numbers.forEach((number, at) => {
      known.sums[at] = (known.sums[at] ?? 0) + number
    })
  }

  parts(rowsOfAPart: number): readonly string[] {
    const named = [...this.found].sort(([one], [other]) => (one < other ? -1 : 1))
    const rows = named.map(([, { keys, sums }]) => [...keys, ...sums])
    const parts: string[] = []
    for (let from = 0; from < rows.length; from += rowsOfAPart)
      parts.push(JSON.stringify(rows.slice(from, from + rowsOfAPart)))
    return parts
  }
}
