/** The rows of a file that a model can score, with how long each was followed and what ended that. */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { GrowingBuffer } from 'patient-risk-engine'
import { CENSORED, DIED_FIRST, EVENT, type FollowUp } from '@patient-risk/statistics'
import { DataError } from '../../tables/data-error.ts'
import { type GatherInput, type Gathered, gather, modelRunFor } from './gather.ts'
import type { LabelledRow } from './read-labelled.ts'
import { RowAttributes } from './row-attributes.ts'
import type { DataSpecificationType } from './specification.ts'

/** The columns, and what ended the follow-up by the code of the file. */
export interface FollowUpColumns {
  readonly time: string
  readonly status: string
  readonly ends: ReadonlyMap<string, number>
}

const DEFAULT_CODES = { censored: ['0'], event: ['1'], diedFirst: ['2'] } as const

/** Throws a DataError where a column is not named, or one code has two meanings. */
export function followUpColumns(given: NonNullable<DataSpecificationType['followUp']>): FollowUpColumns {
  const { time, status, censored, event, diedFirst } = { ...DEFAULT_CODES, ...given }
  if (time === undefined || status === undefined)
    throw new DataError([
      'times of follow-up need two columns: --time says how many days a row was followed, --status what ended that',
    ])
  const ends = new Map<string, number>()
  const meanings = [
    [censored, CENSORED],
    [event, EVENT],
    [diedFirst, DIED_FIRST],
  ] as const
  for (const [codes, end] of meanings) {
    for (const code of codes) {
      if (ends.has(code) && ends.get(code) !== end)
        throw new DataError([`data, followUp: the code ${code} of column ${status} has two meanings`])
      ends.set(code, end)
    }
  }
  return { time, status, ends }
}

export interface FollowedRows extends Gathered {
  readonly rows: FollowUp
  readonly attributes: RowAttributes
}

const DAYS = /^\d+([.,]\d+)?$/
const THOUSAND = /^\d{1,3}\.\d{3}$/

/** Rows without a time or a status are left out and counted; a cell that cannot be read stops the run. */
export async function followedRows(
  input: GatherInput,
  model: ModelDefinition,
  columns: FollowUpColumns,
): Promise<FollowedRows> {
  const run = modelRunFor(input, model)
  const attributes = new RowAttributes(input.data, run.plan, run.assessor.slots)
  const risks = new GrowingBuffer<Float64Array>(Float64Array)
  const days = new GrowingBuffer<Float64Array>(Float64Array)
  const weights = new GrowingBuffer<Float64Array>(Float64Array)
  const ends: number[] = []
  const clusters: number[] = []
  let here: Ended | undefined
  const whyLeftOut = (row: LabelledRow): string | undefined => {
    const read = endedIn(input, row, columns, model)
    if (typeof read === 'string') return read
    here = read
    return undefined
  }
  const also = { columns: [columns.time, columns.status], whyLeftOut }
  const gathered = await gather({ ...input, also }, run, (row, isComplete, weight) => {
    const { day, end } = here as Ended
    days.add(day)
    ends.push(end)
    risks.add(run.compiled.probability(run.assessor.result.score))
    clusters.push(row.patient)
    if (weight !== undefined) weights.add(weight)
    attributes.add(row, isComplete)
  })
  const rows: FollowUp = {
    days: days.view(),
    ends: Uint8Array.from(ends),
    risks: risks.view(),
    clusters: Int32Array.from(clusters),
    ...(weights.length > 0 && { weights: weights.view() }),
  }
  if (ends.length === 0) throw new DataError([`${input.path}: no rows are left to validate with`])
  return { ...gathered, rows, attributes }
}

interface Ended {
  readonly day: number
  readonly end: number
}

/** How long a row was followed and what ended that, or why it is left out. */
function endedIn(
  { path, data: { decimalComma } }: GatherInput,
  row: LabelledRow,
  { time, status, ends }: FollowUpColumns,
  { id, card }: ModelDefinition,
): Ended | string {
  const days = row.text(time)
  const code = row.text(status)
  if (days === 'missing') return 'no time of follow-up'
  if (code === 'missing') return 'no status'
  const refuse = (column: string, reason: string): DataError =>
    new DataError([`${path}, line ${row.line}, column ${column}: ${reason}`])
  if (!DAYS.test(days) || days.includes(decimalComma === true ? '.' : ','))
    throw refuse(time, 'the time is not a number of days, 0 or more')
  if (decimalComma === undefined && THOUSAND.test(days))
    throw refuse(time, 'may be a thousand, as 1.000 may: say "decimalComma": true or false in `data`')
  const end = ends.get(code)
  if (end === undefined)
    throw refuse(
      status,
      `the status is none of ${[...ends.keys()].join(', ')}; say under \`followUp\` in \`data\` which codes are \`censored\`, \`event\` and \`diedFirst\``,
    )
  if (end === DIED_FIRST && card.competing === 'impossible')
    throw refuse(
      status,
      `says that the patient died first, but death is the outcome of ${id}: give every death the code of the event`,
    )
  return { day: Number(days.replace(',', '.')), end }
}
