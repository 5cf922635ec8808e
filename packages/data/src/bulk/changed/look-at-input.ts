/** Looks at one input of a folder: whether it has to be scored, and which of its rows are written then. */
import { join } from 'node:path'
import { BadFile } from '../../tables/bad-file.ts'
import type { RowChanges } from '../run.ts'
import type { RunReport } from '../summary.ts'
import { type FileState, stateOf } from './file-state.ts'
import { hashFileAt, hashFileFor, isIntact } from './hash-files.ts'
import type { KeyedRows, ManifestFile } from './manifest.ts'
import {
  type Base,
  NO_BASE,
  type ReasonToScore,
  type RunSetting,
  baseFor,
  reasonToScore,
} from './plan-changes.ts'

export interface FolderInput {
  /** Its name below the folder of all inputs, and that of its output below the folder of all outputs, with slashes. */
  readonly name: string
  readonly output: string
  readonly path: string
  /** A digest of everything but the content and the deployment that decides what is written. */
  readonly options: string
}

export interface ChangedInput extends FolderInput {
  readonly reason: ReasonToScore
  readonly rowChanges: RowChanges | undefined
}

export interface FolderSetting extends RunSetting {
  readonly folder: string
  /** The folder of all inputs. */
  readonly root: string
  /** The column by which rows are found again; undefined where outputs have all rows. */
  readonly key: string | undefined
  readonly removesGone: boolean
}

/** What is needed to note the output when it is complete. */
export interface Work extends ChangedInput {
  readonly input: FileState
  readonly base: Base
  /** The name of the file for what its rows are. */
  readonly hashes: string
}

/** Where nothing has changed, the entry of the manifest with the times of today: they save the next run a look into the files. */
export async function lookAt(
  setting: FolderSetting,
  last: ManifestFile | undefined,
  given: FolderInput,
): Promise<Work | ManifestFile> {
  const { path, options } = given
  const input = await stateOf(path, last?.input)
  if (input === undefined) throw new BadFile(`${path}: there is no such file any more`)
  const output = last && (await stateOf(join(setting.folder, last.output), last))
  const reason = reasonToScore(last, { input, output, options }, setting)
  if (reason !== undefined) return workOn(setting, last, given, input, reason)
  return { ...(last as ManifestFile), input, ...(output as FileState) }
}

async function workOn(
  setting: FolderSetting,
  last: ManifestFile | undefined,
  given: FolderInput,
  input: FileState,
  reason: ReasonToScore,
): Promise<Work> {
  const { folder, key, deploymentDigest, today } = setting
  const hashes = hashFileFor(given.name, [input.sha256, given.options, deploymentDigest, today])
  const found = { ...given, reason, input, hashes }
  if (key === undefined) return { ...found, base: NO_BASE, rowChanges: undefined }
  const base = baseFor(reason, last, key)
  // Without the file that it names, all rows are written.
  const isThere = base.before === undefined || (await isIntact(folder, base.before))
  const { before, isWhole } = isThere ? base : NO_BASE
  const rowChanges = {
    key,
    before: before && join(folder, before.path),
    isWhole,
    after: join(folder, hashes),
  }
  return { ...found, base: isThere ? base : NO_BASE, rowChanges }
}

/** What the manifest says of the rows of an output. */
export async function keyedRows(
  { folder, key }: FolderSetting,
  { base: { before, isWhole, since }, hashes }: Work,
  { rowChanges }: RunReport,
): Promise<KeyedRows | undefined> {
  if (key === undefined || rowChanges === undefined) return undefined
  return {
    key,
    ...rowChanges,
    isWhole,
    ...(since === undefined ? {} : { since }),
    hashes: await hashFileAt(folder, hashes),
    ...(before === undefined ? {} : { hashesBefore: before }),
  }
}
