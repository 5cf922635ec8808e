/** `patient-risk fhir`: scores a Bulk Data export, patient by patient, and writes a folder of the same kind. */
import { availableParallelism } from 'node:os'
import { type Deployment, makeDeployments } from '@patient-risk/catalog'
import { Population, openExport } from '@patient-risk/data/population'
import { BadFile, EngineMissing, TableEngine } from '@patient-risk/data/tables'
import { systemClock } from '@patient-risk/runtime'
import { isInFuture, parseMoment } from '@patient-risk/server/adapters'
import { type Loaded, languageOrRefusal, loadOrRefusal } from '../catalog/load-catalog.ts'
import { Refusal, UsageError, command, faultsText, printNote } from '../command.ts'
import { ProgressBar } from '../progress-bar.ts'
import { BundleScorer } from './bundle-scorer.ts'
import { ResultFolder } from './result-folder.ts'

const HISTORIES = ['complete', 'partial']

export const fhir = command(
  {
    texts: ['output', 'deployment', 'history', 'as-of', 'language'],
    numbers: { threads: 'whole' },
    flags: ['quiet', 'accept-incomplete'],
    required: ['output'],
    operands: 'Give the folder of one Bulk Data export.',
  },
  async (values, [folder = '']) => {
    const { output, deployment: wanted, history = 'partial', threads, quiet = false } = values
    if (!HISTORIES.includes(history)) throw new UsageError('--history takes complete or partial.')
    const isGapAccepted = values['accept-incomplete'] === true
    if (isGapAccepted && history === 'complete')
      throw new UsageError('Give either --history complete or --accept-incomplete.')
    const loaded = loadOrRefusal()
    const deployment = deploymentNamed(loaded, wanted)
    const words = languageOrRefusal(loaded.catalog, values.language)
    const source = orRefusal(folder, () => openExport(folder))
    const asOf = values['as-of'] ?? source.madeAt
    if (asOf === undefined)
      throw new UsageError(
        'The export has no manifest that says when it was made. Give the moment of the assessment with --as-of, such as 2026-11-18.',
      )
    const moment = parseMoment(asOf)
    if (moment?.precision !== 'day')
      throw new UsageError(
        '--as-of takes a date or a date and time, such as 2026-11-18 or 2026-11-18T08:00:00+01:00.',
      )
    const { timeZone } = loaded.config
    const today = systemClock(timeZone).today()
    if (isInFuture(moment, today))
      throw new UsageError('The moment of the assessment must not lie in the future. Give it with --as-of.')
    const results = await ResultFolder.create(output, folder)
    using engine = await openEngine(threads)
    using bar = new ProgressBar('resources')
    const progress = (records: number): void => {
      if (!quiet) bar.show({ records, share: undefined }, 'reading')
    }
    const population = await Population.load(engine, source, progress).catch((error: unknown) => {
      throw refusalOf(folder, error)
    })
    if (!isGapAccepted) refuseIncomplete(population.incomplete)
    const scorer = new BundleScorer(
      loaded,
      deployment,
      { history, asOf },
      today,
      threads ?? availableParallelism(),
      words,
    )
    try {
      const patients = population.patientCount
      let done = 0
      for await (const { reference, answer } of scorer.answers(population.bundles())) {
        await results.add(reference, answer)
        done++
        if (!quiet) bar.show({ records: undefined, share: done / patients }, 'scoring')
      }
    } finally {
      await scorer.close()
    }
    const { scored, patients } = await results.finish({
      deployment,
      mappingDigest: scorer.mappingDigest,
      history,
      asOf,
      incomplete: population.incomplete,
    })
    if (population.strays > 0)
      printNote(
        `${population.strays} resources name a Patient that the export does not have. They were not used.`,
      )
    for (const why of population.incomplete) printNote(why)
    printNote(
      `${scored} of ${patients} patients have a risk. The reasons of the others are in ${output}/OperationOutcome.1.ndjson.`,
    )
    return 0
  },
)

function deploymentNamed({ config, catalog }: Loaded, wanted: string | undefined): Deployment {
  const entry = config.deployments.find(({ name }) => wanted === undefined || name === wanted)
  if (entry === undefined) {
    const names = config.deployments.map(({ name }) => name)
    throw new UsageError(`There is no deployment ${wanted}. There are ${names.join(', ')}.`)
  }
  // With the time zone of the service, so that the digest is that of the service.
  const { deployments, faults } = makeDeployments(catalog, [entry], config.timeZone)
  const [deployment] = deployments
  if (deployment === undefined) throw new Refusal(faultsText(faults))
  const [failure] = deployment.model.selfCheckFailures
  if (failure !== undefined) throw new Refusal(`The model fails its own checks: ${failure}`)
  return deployment
}

async function openEngine(threads: number | undefined): Promise<TableEngine> {
  try {
    return await TableEngine.open(threads)
  } catch (error) {
    if (error instanceof EngineMissing) throw new Refusal(error.message)
    throw error
  }
}

/** Counts of stays from an export with gaps are too low, and nothing in the numbers shows it. */
function refuseIncomplete(incomplete: readonly string[]): void {
  if (incomplete.length === 0) return
  throw new Refusal(
    [
      'The export is not complete, so counts from it may be too low:',
      ...incomplete,
      'Export it again, or add --accept-incomplete to score what is there. Nothing was written.',
    ].join('\n'),
  )
}

function orRefusal<T>(folder: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw refusalOf(folder, error)
  }
}

function refusalOf(folder: string, error: unknown): unknown {
  return error instanceof BadFile ? new Refusal(`${folder} ${error.message}.`) : error
}
