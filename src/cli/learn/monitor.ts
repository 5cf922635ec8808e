/** `patient-risk learn monitor`: calibration and discrimination month by month, for a scheduled job. */
import { renderMonitoring } from '../../../workbench/built/report/render-report.js'
import {
  type Limited,
  type MonitorReport,
  monitorMonths,
  readRisks,
  scoreMonths,
} from '../../learn/monitor.ts'
import { UsageError } from '../command.ts'
import { textTable } from '../output/text-table.ts'
import { learnCommand } from './learn-command.ts'
import { DATA, REPORT, modelNamed, specificationIn } from './options.ts'
import { writeReport } from './write-output.ts'

const OUT_OF_CONTROL = 3

export const learnMonitor = learnCommand({
  usage: `learn monitor --data FILE --risk COLUMN --outcome COLUMN --month COLUMN [OPTIONS]
learn monitor --data FILE --model NAME --specification FILE --month COLUMN [OPTIONS]`,
  about: `Follows a model in service: calibration in the large and the c-statistic for each month, with
control limits of three standard errors. Out of control are a month outside its limits, and
eight months in a row on the same side. A month with fewer than ten events has no figures, and
is out of control if ten or more were expected and the number is three standard errors off.`,
  options: {
    data: ['FILE', 'predictions and outcomes: CSV, NDJSON or Parquet'],
    risk: ['COLUMN', 'the risk that was given in service'],
    model: ['NAME', 'score the rows with this model instead'],
    specification: ['FILE', 'what the columns mean, with --model'],
    outcome: ['COLUMN', 'the outcome, 1 or 0'],
    month: ['COLUMN', 'a month or a date: 2026-11, 2026-11-15'],
    patient: ['COLUMN', 'the patient, where patients repeat'],
    weights: DATA.weights,
    'decimal-comma': DATA['decimal-comma'],
    baseline: ['N', 'months at the start that give the expected c-statistic (default 6)'],
    'expected-c': ['C', 'the expected c-statistic, in place of the baseline'],
    ...REPORT,
  },
  required: ['data', 'month'],
  codes: 'Exit codes: 0 in control, 3 out of control, 1 the data are refused, 2 wrong usage.',
  async run(values, open) {
    const { data: path, month: monthColumn, model: name, risk: riskColumn } = values
    if ((name === undefined) === (riskColumn === undefined))
      throw new UsageError('Give either --risk or --model.')
    const context = open()
    const model = name === undefined ? undefined : modelNamed(context.catalog, name)
    const { data } = specificationIn(values, model)
    const rows =
      model === undefined
        ? await readRisks({ path, data }, riskColumn ?? '', monthColumn)
        : await scoreMonths({ ...context, path, data }, model.definition, monthColumn)
    const report = monitorMonths(rows, values.baseline ?? 6, values['expected-c'])
    context.print(values.json === true ? `${JSON.stringify(report)}\n` : textOf(report))
    if (values.report !== undefined) {
      const json = `${JSON.stringify(report, null, 2)}\n`
      writeReport(values.report, json, renderMonitoring(report))
    }
    return report.alarms.length === 0 ? 0 : OUT_OF_CONTROL
  },
})

const HEAD = ['MONTH', 'ROWS', 'EVENTS', 'PREDICTED', 'OBSERVED', 'IN THE LARGE', 'LIMITS', 'C', 'LIMITS']

function textOf({ months, alarms }: MonitorReport): string {
  const cells = (limited: Limited | undefined): readonly string[] => {
    if (limited === undefined) return ['too few', '']
    const { value, low, high, isOut } = limited
    return [`${figure(value, 3)}${isOut ? ' *' : ''}`, `${figure(low, 3)} to ${figure(high, 3)}`]
  }
  const rows = months.map((each) => [
    each.month,
    String(each.rows),
    String(each.events),
    figure(each.meanPredicted, 4),
    figure(each.observed, 4),
    ...cells(each.inTheLarge),
    ...cells(each.cStatistic),
  ])
  const verdict = alarms.length === 0 ? 'In control.' : `Out of control:\n  ${alarms.join('\n  ')}`
  return `${textTable(HEAD, rows)}${verdict}\n`
}

function figure(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return '–'
  const text = value.toFixed(decimals)
  // What rounds to nothing has no sign.
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')
}
