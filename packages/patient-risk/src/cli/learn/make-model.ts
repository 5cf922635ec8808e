/** The commands that make a model from outcomes: `learn fit` and `learn recalibrate`. */
import { fitModel, recalibrateModel } from '@patient-risk/data/learn'
import { UsageError } from '../command.ts'
import { learnCommand } from './learn-command.ts'
import {
  DATA,
  OVERRIDES,
  SAMPLES,
  madeSpecification,
  modelNamed,
  overridesIn,
  specificationIn,
} from './options.ts'
import { printReport } from './summary.ts'
import { loadRenderer, refuseTaken, writeModel } from './write-output.ts'

export const learnFit = learnCommand(
  {
    texts: ['specification', 'data', 'split-by', 'out', ...OVERRIDES],
    lists: ['group'],
    flags: ['temporal', 'allow-small-sample', 'replace', 'decimal-comma'],
    required: ['specification', 'data', 'out'],
  },
  async (values, open) => {
    const { data: path, out, temporal: isTemporal, 'allow-small-sample': allowSmallSample } = values
    const context = open(out)
    const specification = madeSpecification(values.specification, 'fitted')
    const { model, fit: options = {} } = specification
    refuseTaken(context.catalog, `${model.id}@${model.version}`, out, values.replace)
    const data = { ...specification.data, ...overridesIn(values) }
    const { renderReport } = await loadRenderer()
    const made = await fitModel({ ...context, path, data, isTemporal, allowSmallSample, model, options })
    printReport(context, made.report)
    return context.print(writeModel(context.catalog, { ...made, specification }, out, renderReport))
  },
)

const METHODS = ['auto', 'none', 'intercept', 'slope', 'refit'] as const

export const learnRecalibrate = learnCommand(
  {
    texts: ['model', ...DATA, 'method', 'version', 'out'],
    lists: ['group'],
    flags: ['allow-small-sample', 'replace', 'decimal-comma'],
    numbers: { threshold: 'risk', ...SAMPLES },
    required: ['model', 'data', 'out'],
  },
  async (values, open) => {
    const { data: path, out, threshold, samples, seed, 'allow-small-sample': allowSmallSample } = values
    const method = METHODS.find((each) => each === (values.method ?? 'auto'))
    if (method === undefined) throw new UsageError(`--method is one of ${METHODS.join(', ')}.`)
    const context = open(out)
    const model = modelNamed(context.catalog, values.model)
    const { id, version: before } = model.definition
    const [major = '0', minor = '0'] = before.split('.')
    const version = values.version ?? `${major}.${Number(minor) + 1}.0`
    refuseTaken(context.catalog, `${id}@${version}`, out, values.replace)
    const { data } = specificationIn(values, model)
    const { renderReport } = await loadRenderer()
    const asked = { method, version, allowSmallSample, threshold, samples, seed }
    const made = await recalibrateModel({ ...context, path, data, model: model.definition, ...asked })
    printReport(context, made.report)
    const isChanged = made.report.recalibration?.method !== 'none'
    const none =
      'The closed test finds no reason to change the model; nothing was written. The lines on power say which changes these data could show.\n'
    // The specification is kept in the folder, for the next validation.
    if (!isChanged) return context.print(none)
    const kept = { ...made, specification: { data } }
    return context.print(writeModel(context.catalog, kept, out, renderReport))
  },
)
