/** The commands that evaluate a model of the catalogue: `learn validate`, `learn monitor` and `learn drift`. */
import { driftModel } from '../../learn/tasks/drift-model.ts'
import { monitorMonths, readRisks, scoreMonths } from '../../learn/tasks/monitor-months.ts'
import { validateModel } from '../../learn/tasks/validate-model.ts'
import { UsageError, printNote } from '../command.ts'
import { learnCommand } from './learn-command.ts'
import { DATA, REPORT, SAMPLES, THRESHOLD, modelNamed, specificationIn } from './options.ts'
import { driftTable, monitorTable, printReport } from './summary.ts'
import { reportWriter } from './write-output.ts'

export const learnValidate = learnCommand({
  usage: 'learn validate --model NAME --data FILE [OPTIONS]',
  about: `Evaluates any model of the catalogue on labelled data: discrimination, calibration,
thresholds and net benefit, overall and by sex, age and named columns, with the
differences between groups. With the specification that this version was fitted with
(FILE, or the one in the model's folder), the figures are also corrected for optimism:
the fit is repeated in samples of patients.`,
  options: {
    model: ['NAME', 'lace, or lace@1.1.0'],
    ...DATA,
    'split-by': ['COLUMN', 'evaluate for each value, such as the site or the year'],
    ...THRESHOLD,
    ...SAMPLES,
    ...REPORT,
  },
  required: ['model', 'data'],
  async run(values, open) {
    const { data: path, threshold, samples, seed } = values
    const context = open()
    const found = modelNamed(context.catalog, values.model)
    const { id, version } = found.definition
    const { data, model, fit: options = {} } = specificationIn(values, found)
    // Only the specification of this very version says how the model was fitted.
    const isOwn = model?.id === id && model.version === version && model.terms.length > 0
    const refit = isOwn ? { model, options } : undefined
    const asked = { path, data, model: found.definition, refit, threshold, samples, seed }
    const writeReport = await reportWriter(values.report, 'renderReport')
    const report = await validateModel({ ...context, ...asked })
    printReport(context, report, values.json)
    writeReport(report)
    return 0
  },
})

const OUT_OF_CONTROL = 3

export const learnMonitor = learnCommand({
  usage: `learn monitor --data FILE --risk COLUMN --outcome COLUMN --month COLUMN [OPTIONS]
learn monitor --data FILE --model NAME --specification FILE --month COLUMN [OPTIONS]`,
  about: `Follows a model in service: calibration in the large and the c-statistic for each month, with
limits of three standard errors to look at, and the evidence that the risks are wrong. Out of
control is evidence of 2,400 or more at the end of a month: with risks that are right that
happens in at most 5 % of models in ten years. The c-statistic raises no alarm.`,
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

export const learnDrift = learnCommand({
  usage: 'learn drift --model NAME --data FILE [OPTIONS]',
  about: `Compares records with the development profile that a model carries: the population stability
index of each input and of the risk, missing values, and the share flagged.
Below 0.1 little has changed, above 0.25 much has. No outcome is needed.`,
  options: {
    model: ['NAME', 'readmission30, or readmission30@1.0.3'],
    data: DATA.data,
    specification: [
      'FILE',
      "what the columns mean (default: the one in the model's folder, then names of fields)",
    ],
    'decimal-comma': DATA['decimal-comma'],
    limit: ['INDEX', 'exit with 1 when any index is above it'],
    json: ['', 'print the figures as JSON'],
  },
  required: ['model', 'data'],
  async run(values, open) {
    const { limit } = values
    const context = open()
    const model = modelNamed(context.catalog, values.model)
    const { data } = specificationIn(values, model, true)
    const { drift, doubts } = await driftModel({ ...context, path: values.data, data }, model.definition)
    context.print(driftTable(drift), values.json && drift)
    doubts.forEach(printNote)
    if (limit === undefined) return 0
    // An input that no record carries has no index, and has moved as far as can be.
    return [drift.risk, ...drift.inputs.map(({ index }) => index)].every((index) => index <= limit) ? 0 : 1
  },
})
