/**
 * `learn monitor` without files. Shewhart charts follow calibration in the large around 0, and the c-statistic around its value
 * in the baseline months.
 */
import type { ModelDefinition } from '../../definition/model.ts'
import { DataError } from '../data/data-error.ts'
import { readLabelled } from '../data/read-labelled.ts'
import { type Means, meansOf } from '../figures/calibration.ts'
import {
  type Estimate,
  type Predictions,
  subset,
  sumOver,
  varianceByPatient,
  weightOf,
} from '../numbers/predictions.ts'
import { type Subgroup, partOf } from '../figures/subgroups.ts'
import { type GatherInput, weightIn } from '../data/gather.ts'
import { RowList, scoreRows } from '../data/rows.ts'

export interface MonthlyRows {
  readonly predictions: Predictions
  /** A month or a date for each row. */
  readonly months: readonly string[]
}

export type Limited = ReturnType<typeof limited>

export interface MonitorReport {
  readonly expectedC: number
  readonly months: readonly ReturnType<typeof monitored>[]
  /** What is out of control, in sentences. */
  readonly alarms: readonly string[]
}

/** In standard errors. */
const LIMIT = 3
/** This many months in a row on the same side of the centre are out of control. */
const RUN = 8
const FEWEST = 10
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
  const months = parts.map((part) => monitored(part, expectedC))
  const few = parts.flatMap(({ level, figures, part }) => (figures === undefined ? tooFew(level, part) : []))
  return { expectedC, months, alarms: [...alarmsOf(months, expectedC), ...few] }
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

/** A month with too few events for figures is out of control if many were expected: perhaps the outcomes are not in yet. */
function tooFew(month: string, part: Predictions): readonly string[] {
  const { risks, outcomes } = part
  const [expected, events, all] = [risks, outcomes, risks.map(() => 1)].map((values) =>
    sumOver(part, (row) => values[row] as number),
  ) as [number, number, number]
  // Rows of one patient may have the same outcome, so their errors are added before they are squared.
  const errorOf = (row: number): number =>
    weightOf(part, row) * Math.sqrt((risks[row] as number) * (1 - (risks[row] as number)))
  const isOut = Math.abs(events - expected) > LIMIT * Math.sqrt(varianceByPatient(part, errorOf))
  if (!isOut || Math.min(expected, all - expected) < FEWEST) return []
  return [`${month}: ${events.toFixed(1)} events, where ${expected.toFixed(1)} were expected`]
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
  const [low, high] = [centre - LIMIT * error, centre + LIMIT * error]
  return { value, low, high, isOut: value < low || value > high }
}

function alarmsOf(months: MonitorReport['months'], expectedC: number): readonly string[] {
  const series = [
    ['calibration in the large', 0, months.map(({ inTheLarge }) => inTheLarge)],
    ['the c-statistic', expectedC, months.map((month) => month.cStatistic)],
  ] as const
  return series.flatMap(([name, centre, limits]) => {
    // A c-statistic above its limit is good news, not an alarm.
    const isBelowOnly = name === 'the c-statistic'
    let run = 0
    return limits.flatMap((each, index): readonly string[] => {
      if (each === undefined) return []
      const { value, low, high, isOut } = each
      const side = Math.sign(value - centre)
      run = Math.sign(run) === side ? run + side : side
      const isRun = isBelowOnly ? run === -RUN : Math.abs(run) === RUN
      const outside = `${name} is ${value.toFixed(3)}, outside ${low.toFixed(3)} to ${high.toFixed(3)}`
      const sided = `${name} has been on the same side of ${centre.toFixed(3)} for ${RUN} months`
      const alarms = [...((isBelowOnly ? value < low : isOut) ? [outside] : []), ...(isRun ? [sided] : [])]
      return alarms.map((text) => `${months[index]?.month ?? ''}: ${text}`)
    })
  })
}
