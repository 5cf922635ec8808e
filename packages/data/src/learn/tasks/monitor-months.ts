/**
 * `learn monitor` without files. The calibration alarm of the service decides; charts show calibration in the large around 0, and the
 * c-statistic around its value in the baseline months.
 */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { DataError } from '../../tables/data-error.ts'
import { readLabelled } from '../data/read-labelled.ts'
import {
  type Means,
  meansOf,
  CalibrationDetector,
  type RiskBin,
  alarmLimits,
  allKnown,
  centreOf,
  etaOf,
  type Estimate,
  type Predictions,
  subset,
  weightOf,
} from '@patient-risk/statistics'
import { type Subgroup, partOf } from '../figures/subgroups.ts'
import { type GatherInput, weightIn } from '../data/gather.ts'
import { RowList, scoreRows } from '../data/rows.ts'
import { integer } from '../report/texts.ts'

export interface MonthlyRows {
  readonly predictions: Predictions
  /** A month or a date for each row. */
  readonly months: readonly string[]
}

export type Limited = ReturnType<typeof limited>

export interface MonitorReport {
  readonly expectedC: number
  readonly months: readonly (ReturnType<typeof monitored> & { readonly evidence: number })[]
  /** From which evidence on the alarm goes off, and the exponent of the factors. */
  readonly limit: number
  readonly eta: number
  /** What is out of control, in sentences. */
  readonly alarms: readonly string[]
}

/** In standard errors. */
const LIMIT = 3
const MONTH = /^\d{4}-(0[1-9]|1[0-2])/

/** The first months give the expected c-statistic, unless it is given. */
export function monitorMonths(
  { predictions, months: given }: MonthlyRows,
  baselineMonths: number,
  givenC?: number,
): MonitorReport {
  const monthAt = given.map((text) => {
    const month = MONTH.exec(text)?.[0]
    if (month !== undefined) return month
    throw new DataError([
      'the column of the month has a value that does not start with a month such as 2026-11',
    ])
  })
  const parts = [...new Set(monthAt)].sort().map((month) => {
    const part = subset(predictions, (row) => monthAt[row] === month)
    return { ...partOf('month', month, part), ...meansOf(part), part }
  })
  const baseline = parts
    .slice(0, baselineMonths)
    .flatMap(({ figures }) => (figures === undefined ? [] : [figures.cStatistic.value]))
  const expectedC = givenC ?? baseline.reduce((sum, value) => sum + value, 0) / baseline.length
  if (!Number.isFinite(expectedC))
    throw new DataError([
      `none of the first ${baselineMonths} months has ten events and ten others, so no c-statistic can be expected; give --expected-c`,
    ])
  const { whole: limit } = alarmLimits(0)
  const eta = etaOf(predictions)
  const binned = parts.map(({ part }) => allKnown(binsOf(part, predictions)))
  const detector = new CalibrationDetector({ limit, eta, centre: centreOf(binned[0] ?? []) })
  const months = parts.map((part, index) => {
    return { ...monitored(part, expectedC), evidence: detector.addMonth(binned[index] ?? []) }
  })
  // An alarm holds until somebody has looked at it, so the first one counts.
  const first = months.find(({ evidence }) => evidence >= limit)
  const text = `the outcomes do not fit the risks: the evidence is ${integer(Math.round(first?.evidence ?? 0))}, the limit ${integer(limit)}`
  return { expectedC, months, limit, eta, alarms: first === undefined ? [] : [`${first.month}: ${text}`] }
}

/** Each row is a bin. A weight above 1 would count evidence twice, so weights are divided by the largest. */
function binsOf(part: Predictions, { weights }: Predictions): readonly RiskBin[] {
  const largest = weights?.reduce((most, weight) => Math.max(most, weight), 0) ?? 1
  return Array.from(part.risks, (risk, row) => {
    const weight = weightOf(part, row) / largest
    return part.outcomes[row] === 1
      ? { risk, events: weight, others: 0 }
      : { risk, events: 0, others: weight }
  })
}

/** A month without limits has fewer than ten rows with the event, or fewer than ten without. */
function monitored(part: Subgroup & Means, expectedC: number) {
  const { level: month, rows, events, figures, meanPredicted, observed } = part
  const limits = figures && {
    inTheLarge: limited(figures.inTheLarge, 0),
    cStatistic: limited(figures.cStatistic, expectedC),
  }
  return { month, rows, events, meanPredicted, observed, ...limits }
}

/** Rows with the risk that was given, from a file that has it. */
export async function readRisks(
  input: Pick<GatherInput, 'path' | 'data'>,
  riskColumn: string,
  monthColumn: string,
): Promise<MonthlyRows> {
  const { path, data } = input
  const list = new RowList()
  const months: string[] = []
  const extra = [riskColumn, monthColumn, ...(data.weights === undefined ? [] : [data.weights])]
  await readLabelled({ path, data, fields: [], domains: new Map(), extra }, (row) => {
    const risk = Number(row.text(riskColumn))
    if (!(risk >= 0 && risk <= 1))
      throw new DataError([`${path}, line ${row.line}, column ${riskColumn}: is not a risk between 0 and 1`])
    list.add([risk], row, weightIn(input, row))
    months.push(row.text(monthColumn))
  })
  if (months.length === 0) throw new DataError([`${path}: has no rows`])
  return { predictions: { risks: list.values, ...list.labels() }, months }
}

/** The same with the risk that a model gives to each row now. */
export async function scoreMonths(
  input: GatherInput,
  model: ModelDefinition,
  monthColumn: string,
): Promise<MonthlyRows> {
  const months: string[] = []
  const read = { ...input, data: { ...input.data, splitBy: monthColumn } }
  const { predictions } = await scoreRows(read, model, ({ text }) => months.push(text(monthColumn)))
  return { predictions, months }
}

/** Control limits around the centre, from the month's own standard error. */
function limited({ value, error }: Estimate, centre: number) {
  const low = centre - LIMIT * error
  const high = centre + LIMIT * error
  return { value, low, high, isOut: value < low || value > high }
}
