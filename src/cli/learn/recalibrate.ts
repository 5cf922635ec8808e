/** `patient-risk learn recalibrate`: a model brought into line with local outcomes, as a new version. */
import { resolve } from 'node:path'
import type { Method } from '../../learn/recalibrate/candidates.ts'
import { recalibrateModel } from '../../learn/recalibrate-model.ts'
import { type Command, UsageError, readWords } from '../command.ts'
import { inContext, workOf } from './context.ts'
import { LEARN_HELP } from './help.ts'
import { refuseTaken, writeModel } from './write-output.ts'
import { printWarnings, summary } from './summary.ts'
import { MODEL_OPTIONS, modelNamed, modelWords, required, specificationWords } from './options.ts'

const METHODS = ['auto', 'none', 'intercept', 'slope', 'refit'] as const

export const learnRecalibrate: Command = {
  help: LEARN_HELP.recalibrate,
  run(words) {
    const { values } = readWords(words, {
      ...MODEL_OPTIONS,
      method: { type: 'string' },
      version: { type: 'string' },
      out: { type: 'string' },
      replace: { type: 'boolean' },
      'allow-small-sample': { type: 'boolean' },
    })
    const { name, data, wanted } = modelWords(values)
    const out = resolve(required('out', values.out))
    const method = METHODS.find((each) => each === (values.method ?? 'auto'))
    if (method === undefined) throw new UsageError(`--method is one of ${METHODS.join(', ')}.`)
    return inContext(out, async (context) => {
      const model = modelNamed(context.catalog, name)
      const version = values.version ?? nextVersion(model.definition.version)
      refuseTaken(context.catalog, `${model.definition.id}@${version}`, out, values.replace === true)
      const made = await recalibrateModel({
        ...workOf(context, data),
        data: specificationWords(values, model).data,
        model: model.definition,
        method: method satisfies Method | 'auto',
        version,
        allowSmallSample: values['allow-small-sample'] === true,
        ...wanted,
      })
      context.progress.clear()
      process.stdout.write(summary(made.report))
      printWarnings(made.report)
      if (made.report.recalibration?.method === 'none') {
        process.stdout.write('The closed test finds no reason to change the model; nothing was written.\n')
        return 0
      }
      process.stdout.write(writeModel(context.catalog, made, out))
      return 0
    })
  },
}

function nextVersion(version: string): string {
  const [major = '0', minor = '0'] = version.split('.')
  return `${major}.${Number(minor) + 1}.0`
}
