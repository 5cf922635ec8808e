/** One patient: what was typed, what the service answered, and the real result while a what-if is tried. */
import type { ApiFailure } from '../api.ts'
import type { ErrorItem, Explained } from '../shapes/answers.ts'
import { createState } from '../state.ts'

/** The real values and their result, kept while other values are tried. */
export interface Baseline {
  readonly typed: Readonly<Record<string, string>>
  readonly result: Explained
}

export interface Patient {
  /** Whose row of a list this is, as the list names it. Never sent. */
  readonly identifier: string
  /** The values of that row. */
  readonly opened: Readonly<Record<string, string>>
  readonly typed: Readonly<Record<string, string>>
  /** Units that values are typed in, where the reader chose another than the field's own. */
  readonly units: Readonly<Record<string, string>>
  /** Fields that were left at least once. Their problems are shown beside them. */
  readonly visited: ReadonlySet<string>
  /** The field whose value is being typed; its errors wait until it is left or nothing was typed for a moment. */
  readonly typing: string
  readonly problems: readonly ErrorItem[]
  /** What the service answered, with or without a risk: scales, notices and range come from here. */
  readonly answer: Explained | undefined
  /** The answer, where it has a risk. */
  readonly result: Explained | undefined
  /** The month of the alarm of calibration that was open when the result came; empty where none was. */
  readonly alarm: string
  /** When the result came. */
  readonly answeredAt: number
  /** Only with `answered` does the result belong to what is typed; with `asking` it is outdated. */
  readonly status: 'idle' | 'asking' | 'answered' | 'failed'
  readonly failure: ApiFailure | undefined
  readonly baseline: Baseline | undefined
}

export const NO_PATIENT: Patient = {
  identifier: '',
  opened: {},
  typed: {},
  units: {},
  visited: new Set(),
  typing: '',
  problems: [],
  answer: undefined,
  result: undefined,
  alarm: '',
  answeredAt: 0,
  status: 'idle',
  failure: undefined,
  baseline: undefined,
}

/** Whether values were typed that no list holds: they are lost when another patient is opened. */
export function isOwnWork({ opened, typed }: Pick<Patient, 'opened' | 'typed'>): boolean {
  return Object.keys({ ...opened, ...typed }).some((name) => (opened[name] ?? '') !== (typed[name] ?? ''))
}

export const patient = createState<Patient>(NO_PATIENT)
