/** `patient-risk learn monitor`: follows a model in service month by month. */
import { monitorMonths, readRisks, scoreMonths } from '../../learn/tasks/monitor-months.ts'
import { UsageError } from '../command.ts'
import { learnCommand } from './learn-command.ts'
import { DATA, REPORT, modelNamed, specificationIn } from './options.ts'
import { monitorTable } from './summary.ts'
import { reportWriter } from './write-output.ts'

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
    const writeReport = await reportWriter(values.report, 'renderMonitoring')
    const rows =
      model === undefined
        ? await readRisks({ path, data }, riskColumn ?? '', monthColumn)
        : await scoreMonths({ ...context, path, data }, model.definition, monthColumn)
    const report = monitorMonths(rows, values.baseline ?? 6, values['expected-c'])
    context.print(monitorTable(report), values.json && report)
    writeReport(report)
    return report.alarms.length === 0 ? 0 : OUT_OF_CONTROL
  },
})
