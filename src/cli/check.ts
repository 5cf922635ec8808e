/** `patient-risk check`: proves clinical files and the configuration sound, and says all that is not. */
import { statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { makeDeployments } from '../catalog/deployment.ts'
import { loadCatalog, loadFolders, type LoadResult } from '../catalog/load.ts'
import { type ClinicalFolder, readClinicalFolder } from '../catalog/read-folder.ts'
import { stage } from '../catalog/stage.ts'
import { readConfig } from '../config.ts'
import type { Fault } from '../definition/fault.ts'
import { CLINICAL_ROOT } from './clinical-root.ts'
import { type Command, UsageError, printFaults, readWords } from './command.ts'

export const check: Command = {
  name: 'check',
  summary: 'Prove clinical files and the configuration sound.',
  help: `Usage: patient-risk check [PATH …] [--json]

Without a path: the package's clinical folder, the folders that CONFIG names, and the deployments.
A path is one of:
  a clinical folder         checked beside the package's own, as CONFIG would name it
  a folder of one scale or model, or its file
                            inside a clinical folder with what lies around it, else beside the package's own
  a configuration file      with the folders and deployments that it names

Every fault is reported at once: file, place in the file, what is wrong, and the rule that it breaks.
Options:
  --json    print the faults as a JSON array of {"file","path","rule","message"}; [] when there is none

Exit codes: 0 all is sound, 1 there are faults, 2 wrong usage.`,
  run(words) {
    const { positionals, values } = readWords(words, { json: { type: 'boolean' } }, true)
    for (const path of positionals) {
      if (statSync(path, { throwIfNoEntry: false }) === undefined)
        throw new UsageError(`There is nothing at ${path}.`)
    }
    const findings = positionals.length === 0 ? [checkConfiguration({})] : positionals.map(checkPath)
    return Promise.resolve(report(findings, values.json === true))
  },
}

/** What a check has found: faults, or a sentence on what is sound. */
interface Finding {
  readonly faults: readonly Fault[]
  readonly sound: string
}

function report(findings: readonly Finding[], asJson: boolean): number {
  const faults = findings.flatMap((finding) => finding.faults)
  if (asJson) process.stdout.write(`${JSON.stringify(faults)}\n`)
  else {
    if (faults.length > 0) printFaults(faults)
    for (const finding of findings) {
      if (finding.faults.length === 0) process.stdout.write(`${finding.sound}\n`)
    }
  }
  return faults.length > 0 ? 1 : 0
}

function checkConfiguration(flags: Readonly<Record<string, string>>): Finding {
  const { config, faults } = readConfig(flags)
  if (config === undefined) return { faults, sound: '' }
  const loaded = loadCatalog([CLINICAL_ROOT, ...config.clinicalFolders.filter((folder) => !isOwn(folder))])
  if (loaded.catalog === undefined) return { faults: loaded.faults, sound: '' }
  const made = makeDeployments(loaded.catalog, config.deployments)
  const finding = finish(loaded, () => true, `, ${made.deployments.length} deployments`)
  return { ...finding, faults: [...made.faults, ...finding.faults] }
}

function checkPath(path: string): Finding {
  if (isOwn(path)) return finish(loadCatalog([CLINICAL_ROOT]))
  const around = clinicalFolderAround(path)
  if (around !== undefined) {
    const isUnder = (file: string): boolean => !relative(resolve(path), resolve(file)).startsWith('..')
    const roots = isOwn(around) ? [CLINICAL_ROOT] : [CLINICAL_ROOT, around]
    const only = isClinicalFolder(path) ? (): boolean => true : isUnder
    return finish(loadCatalog(roots), only)
  }
  const staged = stage(path)
  if (staged.kind === 'configuration') return checkConfiguration({ CONFIG: path })
  return finish(loadFolders([withoutTwins(readClinicalFolder(CLINICAL_ROOT), staged.folder), staged.folder]))
}

/** Cases that do not come out, and released files that have changed, are faults of their file here. */
function finish(loaded: LoadResult, only: (file: string) => boolean = () => true, more = ''): Finding {
  const troubles = [...(loaded.catalog?.models.values() ?? [])].flatMap(({ definition, trouble, file }) =>
    trouble.map((message) => ({ file, path: '', rule: 'not-ready', message: message, key: definition.id })),
  )
  const own = new Map(troubles.map(({ key: _, ...fault }) => [fault.message, fault]))
  const faults = [...loaded.faults, ...own.values()].filter(({ file }) => only(file))
  const { catalog } = loaded
  const sound =
    catalog === undefined
      ? 'Sound. Other files beside it are not: check their folder.'
      : `All sound: ${catalog.domains.size} fields, ${catalog.scales.size} scales, ${catalog.models.size} models${more}; every case comes out.`
  return { faults, sound }
}

/** A definition that stands alone takes the place of the package's own of the same name. */
function withoutTwins(own: ClinicalFolder, staged: ClinicalFolder): ClinicalFolder {
  const isOther = (kind: 'scales' | 'models') => (entry: { name: string }) =>
    !staged[kind].some(({ name }) => name === entry.name)
  return {
    ...own,
    scales: own.scales.filter(isOther('scales')),
    models: own.models.filter(isOther('models')),
    released: undefined,
  }
}

/** The clinical folder that a path is, or lies in as `scales/<name>` or `models/<name>`. */
function clinicalFolderAround(path: string): string | undefined {
  if (isClinicalFolder(path)) return path
  const isFile = statSync(path).isFile()
  if (isFile && isClinicalFolder(dirname(path))) return basename(path) === 'fields.json' ? dirname(path) : undefined
  const entry = isFile ? dirname(resolve(path)) : resolve(path)
  const kind = basename(dirname(entry))
  return kind === 'scales' || kind === 'models' ? relative('', dirname(dirname(entry))) || '.' : undefined
}

function isClinicalFolder(path: string): boolean {
  return ['fields.json', 'scales', 'models'].some(
    (name) => statSync(join(path, name), { throwIfNoEntry: false }) !== undefined,
  )
}

/** The package's own folder is always loaded; naming it adds nothing. */
function isOwn(folder: string): boolean {
  const own = statSync(CLINICAL_ROOT)
  const other = statSync(folder, { throwIfNoEntry: false })
  return other !== undefined && own.ino === other.ino && own.dev === other.dev
}
