/** The commands that evaluate a model of the catalogue: `learn validate`, `learn monitor` and `learn drift`. */
import {
  driftModel,
  monitorMonths,
  readRisks,
  scoreMonths,
  validateFollowUp,
  validateModel,
} from '@patient-risk/data/learn'
import { UsageError, printNote } from '../command.ts'
import { printFollowUp } from './follow-up-summary.ts'
import { learnCommand } from './learn-command.ts'
import { DATA, FOLLOW_UP, SAMPLES, modelNamed, refuseWithTimes, specificationIn } from './options.ts'
import { driftTable, monitorTable, printReport } from './summary.ts'
import { refuseModelReport, reportWriter } from './write-output.ts'

export const learnValidate = learnCommand(
  {
    texts: ['model', ...DATA, ...FOLLOW_UP, 'split-by', 'report'],
    lists: ['group'],
    flags: ['decimal-comma', 'json'],
    numbers: { threshold: 'risk', ...SAMPLES },
    required: ['model', 'data'],
  },
  async (values, open) => {
    const { data: path, threshold, samples, seed } = values
    const context = open()
    const found = modelNamed(context.catalog, values.model)
    const { id, version } = found.definition
    const { data, model, fit: options = {} } = specificationIn(values, found)
    if (data.followUp !== undefined && data.outcome.column === null) {
      refuseWithTimes(values)
      refuseModelReport(values.report)
      const writeReport = await reportWriter(values.report, 'renderFollowUp')
      const report = await validateFollowUp({
        ...context,
        path,
        data,
        model: found.definition,
        samples,
        seed,
      })
      printFollowUp(context, report, values.json)
      writeReport(report)
      return 0
    }
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
)

const OUT_OF_CONTROL = 3

export const learnMonitor = learnCommand(
  {
    texts: ['data', 'risk', 'model', 'specification', 'outcome', 'month', 'patient', 'weights', 'report'],
    flags: ['decimal-comma', 'json'],
    numbers: { baseline: 'whole', 'expected-c': 'any' },
    required: ['data', 'month'],
  },
  async (values, open) => {
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
)

export const learnDrift = learnCommand(
  {
    texts: ['model', 'data', 'specification'],
    flags: ['decimal-comma', 'json'],
    numbers: { limit: 'any' },
    required: ['model', 'data'],
  },
  async (values, open) => {
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
)
