/** What the reader says about a row: how far the work on it is, and a short note. Never sent to the service. */

export const ROW_STATES = ['open', 'seen', 'done', 'notApplicable'] as const
export type RowState = (typeof ROW_STATES)[number]

export interface Mark {
  readonly state: RowState
  readonly note: string
}

export type Marks = ReadonlyMap<number, Mark>

export const LONGEST_NOTE = 200

const NO_MARK: Mark = { state: 'open', note: '' }

export function markOf(marks: Marks, row: number): Mark {
  return marks.get(row) ?? NO_MARK
}

/** The states as a download holds them. */
export const STATE_WORDS: Readonly<Record<RowState, string>> = {
  open: 'open',
  seen: 'seen',
  done: 'done',
  notApplicable: 'not applicable',
}

export function nextState(state: RowState): RowState {
  return ROW_STATES[(ROW_STATES.indexOf(state) + 1) % ROW_STATES.length] ?? 'open'
}
