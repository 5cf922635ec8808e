/** `patient-risk pack`: prints one deployment, as JSON for the engine in another program, or as a page that works without a service. */
import { makeDeployments, packDeployment } from '@patient-risk/catalog'
import { loadOrRefusal } from './catalog/load-catalog.ts'
import { offlinePage } from './offline-page.ts'
import { Refusal, UsageError, command, faultsText, printOutput } from './command.ts'

export const pack = command(
  {
    flags: ['page'],
    operands: 'Give the name of one deployment of the configuration, such as readmission.',
  },
  ({ page }, [wanted]) => {
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
    if (page === true) return printOutput(offlinePage(catalog, deployment, todayIn(deployment.timeZone)))
    return printOutput(`${JSON.stringify(packDeployment(catalog, deployment))}\n`)
  },
)

/** DD-MM-YYYY. */
function todayIn(timeZone: string): string {
  const form = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone } as const
  return new Intl.DateTimeFormat('en-GB', form).format(new Date()).replaceAll('/', '-')
}
