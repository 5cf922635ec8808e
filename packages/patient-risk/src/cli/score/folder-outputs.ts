/** One output for each input: their names, and the folders that they lie in. */
import { statSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type RunInput, type RunReport, writing } from '@patient-risk/data/bulk'
import { makeFolders } from '@patient-risk/runtime'
import { STANDARD_INPUT, type WrittenFormat, isAddress, patternRoot } from '@patient-risk/data/tables'
import { UsageError } from '../command.ts'
import { outputFormat, outputPaths, takenBy } from './output-paths.ts'
import type { ScoreValues } from './score-options.ts'

export interface FolderOutput {
  readonly input: RunInput
  /** The name of the input below the folder of all, and that of the output below the other one, with slashes. */
  readonly name: string
  readonly outputName: string
  readonly to: WrittenFormat
  /** Where the output is written, with links resolved. */
  readonly output: string
}

/** The outputs keep the folders of the inputs. Throws where two of them would have one name. */
export function folderOutputs(
  inputs: readonly RunInput[],
  root: string,
  folder: string,
  values: ScoreValues,
): readonly FolderOutput[] {
  if (inputs.some(({ path }) => path === STANDARD_INPUT))
    throw new UsageError('--output-dir needs files with names.')
  const taken = takenBy(inputs)
  const names = new Set<string>()
  return inputs.map((input) => {
    const { path, format } = input
    const to = outputFormat(values.to ?? (format === 'xlsx' ? 'csv' : format), undefined)
    const name = (isAddress(path) ? basename(path) : relative(root, path)).split(sep).join('/')
    const outputName = `${name.replace(/(\.[A-Za-z]+)(\.(gz|zst))?$/, '')}.${to}`
    const written = join(folder, outputName)
    if (names.has(written))
      throw new UsageError(`Two inputs would be written to ${written}; score them apart.`)
    names.add(written)
    const { output } = outputPaths(taken, written, undefined)
    return { input, name, outputName, to, output: output ?? written }
  })
}

/**
 * The folder that the names of the outputs begin below: the one that was named. It must not depend on which files are in it today,
 * or the outputs of tomorrow would have other names.
 */
export function rootOf(operands: readonly string[]): string {
  const folders = operands
    .filter((operand) => !isAddress(operand))
    .map((operand) => {
      const found = statSync(operand, { throwIfNoEntry: false })
      if (found?.isDirectory() === true) return resolve(operand)
      return resolve(found === undefined ? patternRoot(operand) : dirname(operand))
    })
  let [common = '.'] = folders
  while (folders.some((folder) => relative(common, folder).startsWith('..'))) common = dirname(common)
  return common
}

/** Makes the folder of an output. If the work fails and leaves nothing there, it is removed again. */
export async function inFolderOf(output: string, work: () => Promise<RunReport>): Promise<RunReport> {
  const made = await writing(output, () => makeFolders(dirname(output)))
  return work().finally(async () => {
    for (const folder of made) await rmdir(folder).catch(() => undefined)
  })
}
