/** `patient-risk learn import`: a model that was fitted elsewhere becomes a checked model folder. */
import { resolve } from 'node:path'
import { DataError } from '../../learn/data/data-error.ts'
import { importModel } from '../../learn/import-model.ts'
import { readSpecification } from '../../learn/specification.ts'
import { type Command, readWords } from '../command.ts'
import { inContext } from './context.ts'
import { LEARN_HELP } from './help.ts'
import { required } from './options.ts'
import { refuseTaken, writeModel } from './write-output.ts'

export const learnImport: Command = {
  help: LEARN_HELP.import,
  run(words) {
    const { values } = readWords(words, {
      specification: { type: 'string' },
      coefficients: { type: 'string' },
      scaled: { type: 'boolean' },
      rows: { type: 'string' },
      expected: { type: 'string' },
      out: { type: 'string' },
      replace: { type: 'boolean' },
    })
    const path = required('specification', values.specification)
    const coefficients = required('coefficients', values.coefficients)
    const rows = required('rows', values.rows)
    const out = resolve(required('out', values.out))
    return inContext(out, async ({ catalog, today, progress }) => {
      const { model, data } = readSpecification(path)
      if (model === undefined) throw new DataError([`${path}: has no \`model\` to be imported`])
      refuseTaken(catalog, `${model.id}@${model.version}`, out, values.replace === true)
      const made = await importModel({
        catalog,
        model,
        data,
        coefficients,
        isScaled: values.scaled === true,
        rows,
        expectedColumn: values.expected ?? 'risk',
        today,
      })
      progress.clear()
      const difference = made.largestDifference.toExponential(1)
      process.stdout.write(`${made.cases.length} rows agree with the original to within ${difference}.\n`)
      process.stdout.write(writeModel(catalog, made, out))
      return 0
    })
  },
}
