/** `patient-risk learn plan`: computes the sample size that a new model needs. */
import { integer, MOST_PARAMETERS, planSample } from '@patient-risk/data/learn'
import { UsageError, printOutput, textTable } from '../command.ts'
import { learnCommand } from './learn-command.ts'

const MANY_PARAMETERS = `Warning: the mean absolute error was studied for at most ${MOST_PARAMETERS} parameters; beyond that its number of patients is a guess.\n`

export const learnPlan = learnCommand(
  {
    flags: ['json'],
    numbers: { prevalence: 'share', parameters: 'whole', 'r-squared': 'any' },
    required: ['prevalence', 'parameters'],
  },
  ({ prevalence, parameters, 'r-squared': rSquared, json }) => {
    if (parameters === 0) throw new UsageError('--parameters takes a whole number, 1 or more.')
    const plan = planSample(prevalence, parameters, rSquared)
    const rows = plan.criteria.map(({ name, patients }) => [name, integer(patients)])
    const assumed = rSquared === undefined ? ', 15 % of its maximum, because none was given' : ''
    const text = `${textTable(['CRITERION', 'PATIENTS'], rows)}Needed: ${integer(plan.patients)} patients with ${integer(plan.events)} events, ${plan.eventsPerParameter.toFixed(1)} events for each of ${parameters} parameters.
R² of Cox and Snell: ${plan.rSquared.toFixed(4)}${assumed}. Several rows of one patient count as fewer patients.\n`
    if (parameters > MOST_PARAMETERS) process.stderr.write(MANY_PARAMETERS)
    return printOutput(text, json && plan)
  },
)
