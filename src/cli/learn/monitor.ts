/** `patient-risk learn monitor`: calibration and discrimination month by month, for a scheduled job. */
import {
  type Limited,
  type MonitorReport,
  monitorMonths,
  readRisks,
  scoreMonths,
} from '../../learn/monitor.ts'
import { writeFiles } from '../../learn/model/write-folder.ts'
import { monitorPage } from '../../learn/report/page.ts'
import { UsageError } from '../command.ts'
import { textTable } from '../output/text-table.ts'
import { learnCommand } from './learn-command.ts'
import { DATA, REPORT, modelNamed, specificationIn } from './options.ts'

const OUT_OF_CONTROL = 3

export const learnMonitor = learnCommand({
  usage: `learn monitor --data FILE --risk COLUMN --outcome COLUMN --month COLUMN [OPTIONS]
learn monitor --data FILE --model NAME --specification FILE --month COLUMN [OPTIONS]`,
  about: `Follows a model in service: calibration in the large and the c-statistic for each month, with
control limits of three standard errors. Out of control are a month outside its limits, and
eight months in a row on the same side.`,
  options: {
    ...DATA,
    data: ['FILE', 'predictions and outcomes: CSV, NDJSON or Parquet'],
    risk: ['COLUMN', 'the risk that was given in service'],
    model: ['NAME', 'score the rows with this model instead'],
    specification: ['FILE', 'what the columns mean, with --model'],
    outcome: ['COLUMN', 'the outcome, 1 or 0'],
    month: ['COLUMN', 'a month or a date: 2026-11, 2026-11-15'],
    patient: ['COLUMN', 'the patient, where patients repeat'],
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
        ? await readRisks({ path, data, riskColumn: riskColumn ?? '', monthColumn })
        : await scoreMonths({ ...context, path, data }, model.definition, monthColumn)
    const report = monitorMonths(rows, {
      baselineMonths: values.baseline ?? 6,
      expectedC: values['expected-c'],
    })
    context.print(values.json === true ? `${JSON.stringify(report)}\n` : textOf(report))
    if (values.report !== undefined) {
      const base = values.report.replace(/\.(html|json)$/, '')
      writeFiles({
        [`${base}.json`]: `${JSON.stringify(report, null, 2)}\n`,
        [`${base}.html`]: monitorPage(report),
      })
    }
    return report.alarms.length === 0 ? 0 : OUT_OF_CONTROL
  },
})

const HEAD = ['MONTH', 'ROWS', 'EVENTS', 'PREDICTED', 'OBSERVED', 'IN THE LARGE', 'LIMITS', 'C', 'LIMITS']

function rowsOf({ months }: MonitorReport): readonly (readonly string[])[] {
  const cells = (limited: Limited | undefined): readonly string[] =>
    limited === undefined
      ? ['too few', '']
      : [
          `${figure(limited.value, 3)}${limited.isOut ? ' *' : ''}`,
          `${figure(limited.low, 3)} to ${figure(limited.high, 3)}`,
        ]
  return months.map(({ month, rows, events, meanPredicted, observed, inTheLarge, cStatistic }) => [
    month,
    String(rows),
    String(events),
    figure(meanPredicted, 4),
    figure(observed, 4),
    ...cells(inTheLarge),
    ...cells(cStatistic),
  ])
}

function textOf(report: MonitorReport): string {
  const { alarms } = report
  const verdict = alarms.length === 0 ? 'In control.' : `Out of control:\n  ${alarms.join('\n  ')}`
  return `${textTable(HEAD, rowsOf(report))}${verdict}\n`
}

function figure(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return '–'
  const text = value.toFixed(decimals)
  // What rounds to nothing has no sign.
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')
}
