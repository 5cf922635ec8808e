/** `patient-risk learn plan`: the number of patients that a new model needs. */
import { planSample } from '../../learn/sample-size.ts'
import { whole } from '../../learn/model/texts.ts'
import { type Command, UsageError, readWords } from '../command.ts'
import { textTable } from '../output/text-table.ts'
import { printDataErrors } from './context.ts'
import { LEARN_HELP } from './help.ts'
import { numberWord, required, wholeWord } from './options.ts'

export const learnPlan: Command = {
  help: LEARN_HELP.plan,
  run(words) {
    const { values } = readWords(words, {
      prevalence: { type: 'string' },
      parameters: { type: 'string' },
      'r-squared': { type: 'string' },
      json: { type: 'boolean' },
    })
    const prevalence = numberWord('prevalence', required('prevalence', values.prevalence)) ?? 0
    if (prevalence <= 0 || prevalence >= 1)
      throw new UsageError('--prevalence takes a share between 0 and 1.')
    const parameters = wholeWord('parameters', required('parameters', values.parameters)) ?? 0
    if (parameters === 0) throw new UsageError('--parameters takes a whole number, 1 or more.')
    const rSquared = numberWord('r-squared', values['r-squared'])
    return printDataErrors(() => {
      const plan = planSample({ prevalence, parameters, ...(rSquared === undefined ? {} : { rSquared }) })
      if (values.json === true) process.stdout.write(`${JSON.stringify(plan)}\n`)
      else {
        const rows = plan.criteria.map(({ name, patients }) => [name, whole(patients)])
        process.stdout
          .write(`${textTable(['CRITERION', 'PATIENTS'], rows)}Needed: ${whole(plan.patients)} patients with ${whole(plan.events)} events, ${plan.eventsPerParameter.toFixed(1)} events for each of ${parameters} parameters.
R² of Cox and Snell: ${plan.rSquared.toFixed(4)}${rSquared === undefined ? ', 15 % of its maximum, because none was given' : ''}. Several rows of one patient count as fewer patients.\n`)
      }
      return Promise.resolve(0)
    })
  },
}
