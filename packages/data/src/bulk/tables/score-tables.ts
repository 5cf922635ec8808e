/** Scores tables: every input becomes a part on disk, and complete parts become the output. */
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { createScorer } from 'patient-risk-engine'
import { BadFile } from '../../tables/bad-file.ts'
import { TableEngine } from '../../tables/engine.ts'
import { identitiesOf } from '../../tables/open-input.ts'
import { type TableFile, joinAlike, refuseDamaged, useTable } from '../../tables/open-table.ts'
import type { Table } from '../../tables/table.ts'
import { openCheckpoint } from '../checkpoint.ts'
import { tempName, writing } from '../output/sink.ts'
import type { ScoreRun } from '../run.ts'
import type { RunReport } from '../summary.ts'
import { addFunctions } from './part-query.ts'
import { type Part, publishResults } from './publish-results.ts'
import { isIdentifier } from './row-changes.ts'
import { scoreTable } from './score-table.ts'

/** Throws a BadFile when an input cannot be read; then nothing has appeared under the output's name. */
export async function scoreTables(given: ScoreRun): Promise<RunReport> {
  // A resumed run keeps the parts that are whole, in the order of their inputs.
  const checkpoint = await openCheckpoint<readonly Part[]>(given)
  const run = withKey(withOwnMeanings(checkpoint.run))
  const { inputs, output } = run
  const identities = await identitiesOf(inputs)
  const engine = await TableEngine.open(run.threads)
  const partsFolder = output === undefined ? joinPath(engine.folder, 'parts') : `${tempName(output)}.parts`
  const saved = checkpoint.from ?? []
  // A part whose file is gone is scored again: a run that ended while it published had renamed it to the output.
  const lost = saved.findIndex(({ path }) => !existsSync(path))
  const done = lost < 0 ? [...saved] : saved.slice(0, lost)
  try {
    if (done.length === 0) {
      await rm(partsFolder, { recursive: true, force: true })
      await writing(output ?? partsFolder, () => mkdir(partsFolder, { mode: 0o700 }))
    }
    await addFunctions(engine, run)
    const files = inputs as readonly TableFile[]
    /** The inputs before this place are scored one by one: something is wrong with them together. */
    let aloneBefore = 0
    for (let place = countInputs(done); place < files.length; place = countInputs(done)) {
      const path = joinPath(partsFolder, `part-${String(place).padStart(6, '0')}.parquet`)
      const joined = place < aloneBefore ? undefined : await joinAlike(engine, files.slice(place))
      const taken = files.slice(place, place + (joined?.count ?? 1))
      const score = (table: Table): Promise<Part> => scoreTable(run, engine, table, taken, path)
      try {
        const [input] = taken as [TableFile]
        done.push(await (joined ? score(joined.table) : useTable(engine, input, run.columnOptions, score)))
      } catch (error) {
        if (joined !== undefined) {
          await refuseDamaged(taken)
          aloneBefore = place + taken.length
          continue
        }
        // With several inputs a refused one is named.
        if (!(error instanceof BadFile) || inputs.length === 1) throw error
        throw new BadFile(`${taken[0]?.path ?? ''}: ${error.message}`)
      }
      await checkpoint.write(done)
    }
    await refuseChanged(inputs, identities).catch(async (error: unknown) => {
      // Nothing could go on from here.
      await checkpoint.remove()
      throw error
    })
    const report = await publishResults(run, engine, done, joinPath(partsFolder, 'results'))
    await checkpoint.remove()
    return report
  } finally {
    engine[Symbol.dispose]()
    // What a resumed run continues from is kept.
    if (!checkpoint.exists()) await rm(partsFolder, { recursive: true, force: true })
  }
}

/** Throws where an input is another one than when the run began: its rows might not belong together. */
async function refuseChanged(
  inputs: ScoreRun['inputs'],
  identities: readonly (string | null)[],
): Promise<void> {
  const now = await identitiesOf(inputs)
  const changed = inputs.find((_each, place) => identities[place] !== now[place])
  if (changed === undefined) return
  const where = inputs.length === 1 ? '' : `${changed.path}: `
  throw new BadFile(`${where}has changed while it was read; start again when it is whole`)
}

/** A specification that says what a column means gives values of ours: codes of the deployment are not applied to them again. */
function withOwnMeanings(run: ScoreRun): ScoreRun {
  const { catalog, deployment, columnOptions } = run
  const { codes = {}, ...options } = deployment.scorerOptions
  const isPlain = ([name]: readonly [string, unknown]): boolean => {
    const rule = Object.hasOwn(columnOptions.rules, name) ? columnOptions.rules[name] : undefined
    return rule === undefined || ('column' in rule && rule.map === undefined)
  }
  const left = Object.entries(codes).filter(isPlain)
  if (left.length === Object.keys(codes).length) return run
  const scorerOptions = { ...options, codes: Object.fromEntries(left) }
  const scorer = createScorer(catalog.definitions, deployment.model.definition, scorerOptions)
  return { ...run, deployment: { ...deployment, scorerOptions, scorer } }
}

/** A row that is gone is known by its key alone, so the results have it. */
function withKey(run: ScoreRun): ScoreRun {
  const { columnOptions, rowChanges } = run
  const { keep } = columnOptions
  if (rowChanges === undefined || keep.includes(rowChanges.key)) return run
  if (isIdentifier(rowChanges.key, columnOptions)) return run
  return { ...run, columnOptions: { ...columnOptions, keep: [...keep, rowChanges.key] } }
}

function countInputs(parts: readonly Part[]): number {
  return parts.reduce((sum, { inputs }) => sum + inputs, 0)
}
