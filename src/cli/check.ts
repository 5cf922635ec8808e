/** `patient-risk check`: proves the clinical files and the configuration sound, and says all that is not. */
import { statSync } from 'node:fs'
import { makeDeployments } from '../catalog/deployment.ts'
import { loadCatalog } from '../catalog/load.ts'
import { CLINICAL_ROOT } from './clinical-root.ts'
import { type Command, UsageError, configOrFaults, printFaults, readWords } from './command.ts'

export const check: Command = {
  name: 'check',
  summary: 'Prove clinical files and the configuration sound.',
  help: `Usage: patient-risk check [FOLDER …]

Without a folder: the package's clinical folder, the folders that CONFIG names, and the deployments.
With folders: each of them beside the package's own, as CONFIG would name them.

Every fault is reported at once, with its file, its place in the file, and the rule that it breaks.
Exit codes: 0 all is sound, 1 there are faults, 2 wrong usage.`,
  run(words) {
    const { positionals } = readWords(words, {}, true)
    for (const folder of positionals) {
      if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
        throw new UsageError(`${folder} is not a folder.`)
      }
    }
    return Promise.resolve(checkAll(positionals))
  },
}

function checkAll(folders: readonly string[]): number {
  const config = configOrFaults()
  if (config === undefined) return 1
  const extra = (folders.length > 0 ? folders : config.clinicalFolders).filter((folder) => !isOwn(folder))
  const { catalog, faults } = loadCatalog([CLINICAL_ROOT, ...extra])
  if (catalog === undefined) {
    printFaults(faults)
    return 1
  }
  const { deployments, faults: deploymentFaults } = makeDeployments(
    catalog,
    folders.length > 0 ? [] : config.deployments,
  )
  if (deploymentFaults.length > 0) {
    printFaults(deploymentFaults)
    return 1
  }
  const troubles = [...catalog.models.values()].flatMap(({ trouble }) => trouble)
  for (const trouble of new Set(troubles)) process.stderr.write(`${trouble}\n`)
  if (troubles.length > 0) return 1
  const counts = `${catalog.domains.size} fields, ${catalog.scales.size} scales, ${catalog.models.size} models`
  process.stdout.write(`All sound: ${counts}, ${deployments.length} deployments; every case comes out.\n`)
  return 0
}

/** The package's own folder is always loaded; naming it adds nothing. */
function isOwn(folder: string): boolean {
  const own = statSync(CLINICAL_ROOT)
  const other = statSync(folder, { throwIfNoEntry: false })
  return own.ino === other?.ino && own.dev === other.dev
}
