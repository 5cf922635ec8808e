/** `patient-risk pack`: prints one deployment as JSON, for the engine in a browser or in another program. */
import { makeDeployments, packDeployment } from '@patient-risk/catalog'
import { loadOrRefusal } from './catalog/load-catalog.ts'
import { Refusal, UsageError, command, faultsText, printOutput } from './command.ts'

export const pack = command(
  { operands: 'Give the name of one deployment of the configuration, such as readmission.' },
  (_values, [wanted]) => {
    const { config, catalog } = loadOrRefusal()
    const names = config.deployments.map(({ name }) => name)
    const entry = config.deployments.find(({ name }) => name === wanted)
    if (entry === undefined)
      throw new UsageError(`There is no deployment ${wanted}. There are ${names.join(', ')}.`)
    // With the time zone of the service, so that the digest is that of the service.
    const { deployments, faults } = makeDeployments(catalog, [entry], config.timeZone)
    const [deployment] = deployments
    if (deployment === undefined) throw new Refusal(faultsText(faults))
    const [failure] = deployment.model.selfCheckFailures
    if (failure !== undefined)
      throw new Refusal(`The model fails its own checks and is not packed: ${failure}`)
    return printOutput(`${JSON.stringify(packDeployment(catalog, deployment))}\n`)
  },
)
