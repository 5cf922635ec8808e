/** `patient-risk learn validate`: evaluates any model of the catalogue on labelled data. */
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { Refit } from '../../learn/refit.ts'
import type { Specification } from '../../learn/specification.ts'
import { validateModel } from '../../learn/validate-model.ts'
import { type Command, readWords } from '../command.ts'
import { inContext, workOf } from './context.ts'
import { LEARN_HELP } from './help.ts'
import { writeReport } from './write-output.ts'
import { printWarnings, summary } from './summary.ts'
import { MODEL_OPTIONS, modelNamed, modelWords, specificationWords } from './options.ts'

export const learnValidate: Command = {
  help: LEARN_HELP.validate,
  run(words) {
    const { values } = readWords(words, {
      ...MODEL_OPTIONS,
      report: { type: 'string' },
      json: { type: 'boolean' },
    })
    const { name, data, wanted } = modelWords(values)
    return inContext(undefined, async (context) => {
      const model = modelNamed(context.catalog, name)
      const specification = specificationWords(values, model)
      const report = await validateModel({
        ...workOf(context, data),
        data: specification.data,
        model: model.definition,
        ...refitOf(model, specification),
        ...wanted,
      })
      context.progress.clear()
      process.stdout.write(values.json === true ? `${JSON.stringify(report)}\n` : summary(report))
      printWarnings(report)
      if (values.report !== undefined) process.stderr.write(writeReport(report, values.report))
      return 0
    })
  },
}

/** Only the specification of this very version says how the model was fitted. */
function refitOf({ definition }: CatalogModel, { model, fit }: Specification): { readonly refit?: Refit } {
  const isIts = model?.id === definition.id && model.version === definition.version
  return isIts ? { refit: { model, options: fit ?? {} } } : {}
}
