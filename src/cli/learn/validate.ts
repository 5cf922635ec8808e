/** `patient-risk learn validate`: evaluates a model on labelled data. */
import { validateModel } from '../../learn/tasks/validate-model.ts'
import { learnCommand } from './learn-command.ts'
import { DATA, REPORT, SAMPLES, THRESHOLD, modelNamed, specificationIn } from './options.ts'
import { printReport } from './summary.ts'
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
    const refit = model?.id === id && model.version === version ? { model, options } : undefined
    const asked = { path, data, model: found.definition, refit, threshold, samples, seed }
    const writeReport = await reportWriter(values.report, 'renderReport')
    const report = await validateModel({ ...context, ...asked })
    printReport(context, report, values.json)
    writeReport(report)
    return 0
  },
})
