/** `patient-risk learn fit`: fits a model to your own outcomes and writes its folder. */
import { resolve } from 'node:path'
import { DataError } from '../../learn/data/data-error.ts'
import { fitModel } from '../../learn/fit-model.ts'
import { readSpecification } from '../../learn/specification.ts'
import { type Command, readWords } from '../command.ts'
import { inContext, workOf } from './context.ts'
import { LEARN_HELP } from './help.ts'
import { refuseTaken, writeModel } from './write-output.ts'
import { printWarnings, summary } from './summary.ts'
import { DATA_OPTIONS, dataWords, required } from './options.ts'

export const learnFit: Command = {
  help: LEARN_HELP.fit,
  run(words) {
    const { values } = readWords(words, {
      ...DATA_OPTIONS,
      temporal: { type: 'boolean' },
      'allow-small-sample': { type: 'boolean' },
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
        data: { ...specification.data, ...dataWords(values) },
        isTemporal: values.temporal === true,
        allowSmallSample: values['allow-small-sample'] === true,
        model: specification.model,
        options: specification.fit ?? {},
      })
      context.progress.clear()
      process.stdout.write(summary(made.report))
      printWarnings(made.report)
      process.stdout.write(writeModel(context.catalog, { ...made, specification }, out))
      return 0
    })
  },
}
