/** What was read for a report, what was left out and why, and what was missing. */
import { basename } from 'node:path'
import type { CardDefinition } from 'patient-risk-engine/definition'
import type { Gathered, GatherInput } from '../data/gather.ts'
import { integer, percent } from './texts.ts'
import type { Warn } from './warn.ts'

export interface DataReport {
  /** The file's own name, without its folder. */
  readonly file: string
  readonly noun: string
  readonly outcome: string
  readonly read: number
  readonly used: number
  readonly leftOut: readonly { readonly reason: string; readonly rows: number }[]
  /** The share of rows without a value, for each input, before rows are left out for it. */
  readonly missing: readonly { readonly input: string; readonly share: number }[]
  /** Inputs for whose absence the model states a value, and how many of the used rows lack them. */
  readonly assumed?: readonly { readonly input: string; readonly rows: number }[]
  /** Rows without a patient identifier; each counts as a patient of its own. */
  readonly blankPatients?: number
  readonly weights?: string
}

interface DataInput extends Pick<GatherInput, 'path' | 'data'> {
  readonly model: { readonly card: Pick<CardDefinition, 'outcome'> }
}

export function dataReport(
  { path, data, model }: DataInput,
  { intake, eligible, inputs }: Gathered,
  used: number,
): DataReport {
  const optional = inputs.filter(({ isRequired }) => !isRequired)
  return {
    file: basename(path),
    noun: data.noun ?? 'rows',
    outcome: model.card.outcome,
    read: intake.rows,
    used,
    leftOut: [...intake.leftOut].map(([reason, rows]) => ({ reason, rows })).sort((a, b) => b.rows - a.rows),
    missing: inputs.map(({ name: input, missing }) => ({ input, share: missing / Math.max(1, eligible) })),
    ...(optional.length > 0 && {
      assumed: optional.map(({ name: input, assumed: rows }) => ({ input, rows })),
    }),
    ...(intake.blankPatients > 0 && { blankPatients: intake.blankPatients }),
    ...(data.weights !== undefined && { weights: data.weights }),
  }
}

const MANY_MISSING = 0.05

export function warnOfData({ blankPatients = 0, assumed = [], used }: DataReport, warn: Warn): void {
  warn(blankPatients > 0, 'blankPatients', { rows: integer(blankPatients) })
  for (const { input, rows } of assumed)
    warn(rows / used >= MANY_MISSING, 'missing', { input, share: percent(rows / used, 1) })
}

/** YYYYMMDD as YYYY-MM-DD. */
export function dayText(today: number): string {
  return String(today).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
}
