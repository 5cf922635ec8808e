/** What the commands of `patient-risk learn` share: the catalogue, the data, the day, and how refused data are told. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Catalog, type CatalogModel, findModel } from '../catalog/catalog.ts'
import { loadCatalog } from '../catalog/load.ts'
import { systemClock } from '../http/clock.ts'
import { DataError } from '../learn/data/data-error.ts'
import type { DataSpecificationType } from '../learn/data/data-specification.ts'
import { readSpecification } from '../learn/specification.ts'
import { CLINICAL_ROOT } from './clinical-root.ts'
import { UsageError, configOrFaults, printFaults } from './command.ts'
import { Progress } from './learn-progress.ts'

export interface LearnContext {
  readonly catalog: Catalog
  /** YYYYMMDD, and the same as YYYY-MM-DD. */
  readonly today: number
  readonly made: string
  readonly progress: Progress
}

/** The context of a command, or undefined after its faults were printed. `out` adds its own fields and models. */
export function learnContext(out?: string): LearnContext | undefined {
  const config = configOrFaults()
  if (config === undefined) return undefined
  const folders = [CLINICAL_ROOT, ...config.clinicalFolders]
  // A folder that is new or empty has nothing to add.
  const isClinical = (folder: string): boolean =>
    ['fields.json', 'scales', 'models'].some((name) => existsSync(join(folder, name)))
  if (out !== undefined && !folders.includes(out) && isClinical(out)) folders.push(out)
  const { catalog, faults } = loadCatalog(folders)
  if (catalog === undefined) {
    printFaults(faults)
    return undefined
  }
  const today = systemClock(config.timeZone).today()
  const text = String(today)
  const made = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
  return { catalog, today, made, progress: new Progress() }
}

export const DATA_OPTIONS = {
  data: { type: 'string' },
  specification: { type: 'string' },
  outcome: { type: 'string' },
  patient: { type: 'string' },
  group: { type: 'string', multiple: true },
} as const

interface DataWords {
  readonly specification?: string | undefined
  readonly outcome?: string | undefined
  readonly patient?: string | undefined
  readonly group?: readonly string[] | undefined
}

/** The data as the specification says; without one, columns named like the fields, and an outcome of 1 or 0. */
export function dataWords(words: DataWords): DataSpecificationType {
  const groups = words.group === undefined ? {} : { groups: [...words.group] }
  const patient = words.patient === undefined ? {} : { patient: words.patient }
  if (words.specification !== undefined) {
    return { ...readSpecification(words.specification).data, ...patient, ...groups }
  }
  if (words.outcome === undefined)
    throw new UsageError('--specification FILE or --outcome COLUMN is required.')
  const outcome = { column: words.outcome, yes: ['1', 'true', 'yes', 'Yes'], no: ['0', 'false', 'no', 'No'] }
  return { outcome, ...patient, ...groups }
}

/** The same for a command that needs no outcome: records in service have none yet. */
export function withoutOutcome(words: DataWords): DataSpecificationType {
  const { specification, outcome } = words
  if (specification !== undefined || outcome !== undefined) return dataWords(words)
  return { ...dataWords({ ...words, outcome: '' }), outcome: { column: null } }
}

export function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${name} is required.`)
  return value
}

/** A whole number or a share given as a word. */
export function numberWord(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) throw new UsageError(`--${name} takes a number.`)
  return number
}

export function modelNamed(catalog: Catalog, name: string): CatalogModel {
  const model = findModel(catalog, name)
  if (model !== undefined) return model
  throw new DataError([`there is no model ${name}; there are ${[...catalog.models.keys()].join(', ')}`])
}

/** Runs the work of a command: refused data are told in sentences and end with exit code 1. */
export async function tellRefusal(progress: Progress, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DataError)) throw error
    progress.clear()
    for (const reason of error.reasons) process.stderr.write(`${reason}\n`)
    process.stderr.write('Nothing was written.\n')
    return 1
  } finally {
    progress.clear()
  }
}
