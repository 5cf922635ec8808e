/** The changes of a list: what was changed, what can be undone and redone, and what was done when. */
import type { Cell } from '../read/sheet.ts'

/** A cell before a change, with what the file had there that a correction takes away. */
export interface Before {
  readonly row: number
  readonly cell: Cell
  /** The text of the file, where the cell was corrected already. */
  readonly original: string | undefined
  readonly nonRecord: unknown
  readonly isRepeated: boolean
}

/** A column of the file, or what the reader says about a row. */
export type Part = number | 'state' | 'note'

/** The same value for some rows. */
export interface Change {
  readonly part: Part
  readonly to: Cell
  readonly before: readonly Before[]
}

export interface LogEntry {
  readonly at: number
  readonly kind: 'changed' | 'undone' | 'redone'
  readonly change: Change
}

export interface History {
  readonly done: readonly Change[]
  /** What can be redone, the next one last. */
  readonly undone: readonly Change[]
  /** Nothing is ever taken out of it. */
  readonly log: readonly LogEntry[]
}

export const NO_HISTORY: History = { done: [], undone: [], log: [] }
