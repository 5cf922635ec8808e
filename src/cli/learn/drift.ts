/** `patient-risk learn drift`: how far records have moved from the data that a model was made on. */
import { driftModel } from '../../learn/drift-model.ts'
import { type Command, readWords } from '../command.ts'
import { inContext, workOf } from './context.ts'
import { LEARN_HELP } from './help.ts'
import { driftTable } from './summary.ts'
import { DATA_OPTIONS, modelNamed, numberWord, required, withoutOutcome } from './options.ts'

export const learnDrift: Command = {
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
      const work = { ...workOf(context, data), data: withoutOutcome(values) }
      const { drift, doubts } = await driftModel(work, definition)
      context.progress.clear()
      process.stdout.write(values.json === true ? `${JSON.stringify(drift)}\n` : driftTable(drift))
      for (const doubt of doubts) process.stderr.write(`${doubt}\n`)
      if (limit === undefined) return 0
      // An input that no record carries has no index, and has moved as far as can be.
      return [drift.risk, ...drift.inputs.map(({ index }) => index)].every((index) => index <= limit) ? 0 : 1
    })
  },
}
