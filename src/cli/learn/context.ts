/** What every command of `patient-risk learn` works in: the catalogue, the day, the progress bar, and the report of refused data. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { loadCatalog } from '../../catalog/load.ts'
import { systemClock } from '../../clock.ts'
import { DataError } from '../../learn/data/data-error.ts'
import { CLINICAL_ROOT } from '../catalog/load-catalog.ts'
import { configOrFaults, printFaults } from '../command.ts'
import { ProgressBar } from '../output/progress-bar.ts'

export interface LearnContext {
  readonly catalog: Catalog
  /** YYYYMMDD, and the same as YYYY-MM-DD. */
  readonly today: number
  readonly made: string
  readonly progress: ProgressBar
}

/** Works in the context of a command. `out` adds its own fields and models. Returns the exit code. */
export async function inContext(
  out: string | undefined,
  work: (context: LearnContext) => Promise<number>,
): Promise<number> {
  const context = learnContext(out)
  if (context === undefined) return 1
  const { progress } = context
  return printDataErrors(() => work(context), progress)
}

/** Returns the exit code of the work, or prints why the data are refused and returns 1. */
export async function printDataErrors(
  work: () => Promise<number>,
  progress = new ProgressBar(),
): Promise<number> {
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

/** What the work itself takes of the context, for one file of data. */
export function workOf(
  { catalog, today, made, progress }: LearnContext,
  path: string,
): Pick<LearnContext, 'catalog' | 'today' | 'made'> & {
  readonly path: string
  readonly onProgress: (done: number, of: number) => void
  readonly onStage: (stage: string, done: number, of: number) => void
} {
  return {
    catalog,
    path,
    today,
    made,
    onProgress: (done, of) => progress.show({ records: undefined, share: done / of }, 'reading'),
    onStage: (stage, done, of) => progress.show({ records: undefined, share: done / of }, stage),
  }
}

/** Undefined after the faults were printed. */
function learnContext(out: string | undefined): LearnContext | undefined {
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
  return { catalog, today, made, progress: new ProgressBar() }
}
