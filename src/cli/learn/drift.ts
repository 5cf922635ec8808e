/** `patient-risk learn drift`: compares records with the data that a model was made on. */
import { driftModel } from '../../learn/tasks/drift-model.ts'
import { printNote } from '../command.ts'
import { learnCommand } from './learn-command.ts'
import { DATA, modelNamed, specificationIn } from './options.ts'
import { driftTable } from './summary.ts'

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
