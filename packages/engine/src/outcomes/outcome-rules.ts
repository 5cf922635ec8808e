/** What outcomes are judged by, and what is counted of them. */

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
  /** The positions of elements that were refused for what was counted before, when the same body came the first time. */
  readonly refused?: readonly number[] | undefined
  /** Opens a receipt; undefined for a text that is not a receipt of this deployment. Where it is absent, no receipt is accepted. */
  readonly openReceipt?: ((text: string) => OpenedReceipt | undefined) | undefined
  /** The receipts that have an outcome, by `receiptKey`. Without it none is taken to have one. */
  readonly received?: ReadonlySet<string> | undefined
  readonly reportUnknown: boolean
  readonly maxRecords: number
  readonly maxDepth: number
  readonly maxKeys: number
}

/** Which answer a receipt belongs to: the serial number is unique within a digest and a month. */
export interface ReceiptPlace {
  readonly digest: string
  readonly month: string
  readonly serial: number
}

/** What a receipt says of an answer. */
export interface OpenedReceipt extends ReceiptPlace {
  /** The risk in ten-thousandths, also of a Yes or No. */
  readonly units: number
  /** The risk of the present shadow; 0 without a shadow. */
  readonly shadowUnits: number
}

/** `units` is the sum of the risks in ten-thousandths. A Yes or No has no number, and the bin −1. Corrections take away. */
export interface Cell extends Readonly<Record<'digest' | 'month' | 'group', string>> {
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
  /** The positions of corrections that take from a cell in which nothing is counted, and of receipts that have an outcome. */
  readonly refused: readonly number[]
  /** The receipts of all elements without problems. Where there are any, read again with `received`. */
  readonly receipts: readonly ReceiptPlace[]
  /** Those that have their first outcome by this body. */
  readonly newReceipts: readonly ReceiptPlace[]
}

/** Names the answer that a receipt belongs to. */
export function receiptKey({ digest, month, serial }: ReceiptPlace): string {
  return `${digest} ${month} ${serial}`
}

/** Names a cell of counts. */
export function cellKey(
  cell: Pick<Cell, 'digest' | 'month' | 'group' | 'bin' | 'flagged' | 'outcome'>,
): string {
  const { digest, month, group, bin, flagged, outcome } = cell
  return JSON.stringify([digest, month, group, bin, flagged, outcome])
}

/** A risk is counted in ten-thousandths. */
export const UNITS = 10_000

/** Whether a risk in ten-thousandths reaches a threshold. */
export function flagOf(units: number, threshold: number | null | undefined): number {
  return units >= Math.ceil((threshold ?? 2) * UNITS - 1e-9) ? 1 : 0
}
