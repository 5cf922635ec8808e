/** `patient-risk learn`: models from one's own outcomes. Each command reads, works, and writes whole or not at all. */
import { resolve } from 'node:path'
import { DataError } from '../learn/data/data-error.ts'
import { driftModel } from '../learn/drift-model.ts'
import { fitModel } from '../learn/fit-model.ts'
import type { Method } from '../learn/recalibrate/closed-test.ts'
import { recalibrateModel } from '../learn/recalibrate-model.ts'
import { readSpecification } from '../learn/specification.ts'
import { validateModel } from '../learn/validate-model.ts'
import { type Command, UsageError, readWords } from './command.ts'
import { LEARN_HELP } from './learn-help.ts'
import { refuseTaken, writeModel, writeReport } from './learn-output.ts'
import { driftTable, summary } from './learn-summary.ts'
import {
  DATA_OPTIONS,
  type LearnContext,
  dataWords,
  withoutOutcome,
  learnContext,
  modelNamed,
  numberWord,
  required,
  tellRefusal,
} from './learn-words.ts'

const SAMPLES = 200

export const learnFit: Command = {
  name: 'learn fit',
  summary: 'Fit a model to your own outcomes.',
  help: LEARN_HELP.fit,
  run(words) {
    const { values } = readWords(words, {
      specification: { type: 'string' },
      data: { type: 'string' },
      out: { type: 'string' },
      replace: { type: 'boolean' },
    })
    const path = required('specification', values.specification)
    const data = required('data', values.data)
    const out = resolve(required('out', values.out))
    return inContext(out, async (context) => {
      const specification = readSpecification(path)
      if (specification.model === undefined) throw new DataError([`${path}: has no \`model\` to be fitted`])
      const { id, version } = specification.model
      refuseTaken(context.catalog, `${id}@${version}`, out, values.replace === true)
      const made = await fitModel({
        ...workOf(context, data),
        data: specification.data,
        model: specification.model,
        options: specification.fit ?? {},
      })
      context.progress.clear()
      process.stdout.write(summary(made.report))
      process.stdout.write(writeModel(context.catalog, made, out))
      return 0
    })
  },
}

export const learnValidate: Command = {
  name: 'learn validate',
  summary: 'Hold a model against labelled data.',
  help: LEARN_HELP.validate,
  run(words) {
    const { values } = readWords(words, {
      ...DATA_OPTIONS,
      model: { type: 'string' },
      threshold: { type: 'string' },
      samples: { type: 'string' },
      seed: { type: 'string' },
      report: { type: 'string' },
      json: { type: 'boolean' },
    })
    const name = required('model', values.model)
    const data = required('data', values.data)
    return inContext(undefined, async (context) => {
      const threshold = numberWord('threshold', values.threshold)
      const seed = numberWord('seed', values.seed)
      const report = await validateModel({
        ...workOf(context, data),
        data: dataWords(values),
        model: modelNamed(context.catalog, name).definition,
        samples: numberWord('samples', values.samples) ?? SAMPLES,
        ...(threshold === undefined ? {} : { threshold }),
        ...(seed === undefined ? {} : { seed }),
      })
      context.progress.clear()
      process.stdout.write(values.json === true ? `${JSON.stringify(report)}\n` : summary(report))
      if (values.report !== undefined) process.stderr.write(writeReport(report, values.report))
      return 0
    })
  },
}

const METHODS = ['auto', 'none', 'intercept', 'slope', 'refit'] as const

export const learnRecalibrate: Command = {
  name: 'learn recalibrate',
  summary: 'Bring a model into line with your own outcomes.',
  help: LEARN_HELP.recalibrate,
  run(words) {
    const { values } = readWords(words, {
      ...DATA_OPTIONS,
      model: { type: 'string' },
      threshold: { type: 'string' },
      method: { type: 'string' },
      version: { type: 'string' },
      out: { type: 'string' },
      replace: { type: 'boolean' },
    })
    const name = required('model', values.model)
    const data = required('data', values.data)
    const out = resolve(required('out', values.out))
    const method = METHODS.find((each) => each === (values.method ?? 'auto'))
    if (method === undefined) throw new UsageError(`--method is one of ${METHODS.join(', ')}.`)
    return inContext(out, async (context) => {
      const model = modelNamed(context.catalog, name).definition
      const threshold = numberWord('threshold', values.threshold)
      const version = values.version ?? nextVersion(model.version)
      refuseTaken(context.catalog, `${model.id}@${version}`, out, values.replace === true)
      const made = await recalibrateModel({
        ...workOf(context, data),
        data: dataWords(values),
        model,
        method: method satisfies Method | 'auto',
        version,
        samples: 0,
        ...(threshold === undefined ? {} : { threshold }),
      })
      context.progress.clear()
      process.stdout.write(summary(made.report))
      if (made.report.recalibration?.method === 'none') {
        process.stdout.write('The closed test finds no reason to change the model; nothing was written.\n')
        return 0
      }
      process.stdout.write(writeModel(context.catalog, made, out))
      return 0
    })
  },
}

export const learnDrift: Command = {
  name: 'learn drift',
  summary: 'Say how far records have moved from a model’s data.',
  help: LEARN_HELP.drift,
  run(words) {
    const { values } = readWords(words, {
      ...DATA_OPTIONS,
      model: { type: 'string' },
      limit: { type: 'string' },
      json: { type: 'boolean' },
    })
    const name = required('model', values.model)
    const data = required('data', values.data)
    const limit = numberWord('limit', values.limit)
    return inContext(undefined, async (context) => {
      const { definition } = modelNamed(context.catalog, name)
      const { drift } = await driftModel(
        { ...workOf(context, data), data: withoutOutcome(values) },
        definition,
      )
      context.progress.clear()
      process.stdout.write(values.json === true ? `${JSON.stringify(drift)}\n` : driftTable(drift))
      const most = Math.max(drift.risk, ...drift.inputs.map(({ index }) => index))
      return most > (limit ?? Infinity) ? 1 : 0
    })
  },
}

function workOf(
  { catalog, today, made, progress }: LearnContext,
  path: string,
): {
  readonly catalog: LearnContext['catalog']
  readonly path: string
  readonly today: number
  readonly made: string
  readonly onProgress: (done: number, of: number) => void
  readonly onStage: (stage: string, done: number, of: number) => void
} {
  return {
    catalog,
    path,
    today,
    made,
    onProgress: (done, of) => progress.show('reading', done, of),
    onStage: (stage, done, of) => progress.show(stage, done, of),
  }
}

function inContext(
  out: string | undefined,
  work: (context: LearnContext) => Promise<number>,
): Promise<number> {
  const context = learnContext(out)
  return context === undefined ? Promise.resolve(1) : tellRefusal(context.progress, () => work(context))
}

function nextVersion(version: string): string {
  const [major = '0', minor = '0'] = version.split('.')
  return `${major}.${Number(minor) + 1}.0`
}
