/** A folder of outputs that is brought up to date: only what is new or changed is scored, and its manifest says what each output is. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from '@patient-risk/runtime'
import { BadFile } from '../../tables/bad-file.ts'
import { WriteError, writing } from '../output/sink.ts'
import type { RunReport } from '../summary.ts'
import { type FileState, isStill, stateOf } from './file-state.ts'
import { lockFolder, removeOutput, removeTemporary } from './folder-files.ts'
import { type FolderReport, countReasons, countRecords } from './folder-report.ts'
import { HASH_FOLDER, removeUnused } from './hash-files.ts'
import {
  type ChangedInput,
  type FolderInput,
  type FolderSetting,
  type Work,
  keyedRows,
  lookAt,
} from './look-at-input.ts'
import { type ManifestFile, readManifest, writeManifest } from './manifest.ts'

/** The manifest of a folder with many files takes a while to write. */
const WRITE_MS = 2_000

export class ChangedFolder {
  private readonly setting: FolderSetting
  private readonly inputs: readonly FolderInput[]
  private readonly outputs: ReadonlySet<string>
  /** The outputs, as the manifest is to have them. */
  private readonly files: Map<string, ManifestFile>
  private readonly last: ReadonlyMap<string, ManifestFile>
  private readonly wasComplete: boolean
  private readonly hadDamagedManifest: boolean
  private readonly work = new Map<string, Work>()
  /** Inputs that could not be looked at, and why. */
  private readonly unread = new Map<string, unknown>()
  private readonly release: () => void
  private lastWrite = 0
  private readonly ended = new Set<string>()
  /** Outputs that are complete and that the manifest on the disk does not know. */
  private readonly fresh = new Map<string, Omit<ManifestFile, keyof FileState>>()

  private constructor(
    setting: FolderSetting,
    inputs: readonly FolderInput[],
    manifest: Awaited<ReturnType<typeof readManifest>>,
    release: () => void,
  ) {
    this.setting = setting
    this.inputs = inputs
    this.outputs = new Set(inputs.map(({ output }) => output))
    this.release = release
    this.hadDamagedManifest = manifest === 'damaged'
    const known = manifest === 'damaged' ? undefined : manifest
    this.last = known?.files ?? new Map()
    this.files = new Map(this.last)
    this.wasComplete = known?.complete === true
  }

  /** Throws a WriteError where another run has the folder. The lock is held until `close`. */
  static async open(setting: FolderSetting, inputs: readonly FolderInput[]): Promise<ChangedFolder> {
    const { folder } = setting
    await writing(folder, () => makeFolders(folder))
    const release = await lockFolder(folder)
    try {
      const opened = new ChangedFolder(setting, inputs, await readManifest(folder), release)
      for (const input of inputs) await opened.take(input)
      return opened
    } catch (error) {
      release()
      throw error
    }
  }

  /** The inputs to score, in their order. */
  get changed(): readonly ChangedInput[] {
    return [...this.work.values()]
  }

  /** The reasons for which inputs cannot be read, by their paths. They cost other inputs nothing. */
  get refused(): ReadonlyMap<string, unknown> {
    return new Map(
      this.inputs.flatMap(({ name, path }) => (this.unread.has(name) ? [[path, this.unread.get(name)]] : [])),
    )
  }

  /** Says in the manifest that outputs are about to change. */
  async begin(): Promise<void> {
    const { folder, key } = this.setting
    if (key !== undefined) await writing(folder, () => makeFolders(join(folder, HASH_FOLDER)))
    await this.write(false)
  }

  /** Notes an output that is complete. */
  async done(name: string, report: RunReport): Promise<void> {
    const work = this.work.get(name) as Work
    const { folder, model, deploymentDigest, today } = this.setting
    if (this.fresh.size > 0 && performance.now() - this.lastWrite > WRITE_MS) await this.write(false)
    if (!(await isStill(work.path, work.input)))
      throw new BadFile(`${work.path}: has changed while it was read; start again when it is whole`)
    // An output that has another name now, as that of another format, is removed under the old one.
    const before = this.last.get(name)?.output
    if (before !== undefined && !this.outputs.has(before)) await removeOutput(folder, before)
    const { records, scored, problems } = report.summary.tally
    const counts = [...problems.values()].flatMap((kinds) => [...kinds.values()])
    const keyed = await keyedRows(this.setting, work, report)
    this.ended.add(name)
    this.fresh.set(name, {
      input: work.input,
      output: work.output,
      rows: records,
      scored,
      problems: counts.reduce((sum, count) => sum + count, 0),
      model,
      deploymentDigest,
      today,
      options: work.options,
      dates: datesIn(report),
      gone: false,
      ...(keyed === undefined ? {} : { keyed }),
      ...(report.doubts.length === 0
        ? {}
        : { doubts: report.doubts.map(({ field, doubt }) => ({ field, doubt })) }),
    })
  }

  /** Writes the manifest for the last time, and removes what is not needed any more. */
  async finish(): Promise<FolderReport> {
    const { folder, root, removesGone } = this.setting
    if (this.fresh.size > 0) await this.write(false)
    const present = new Set(this.inputs.map(({ name }) => name))
    const isAllGone = this.last.size > 0 && ![...this.last.keys()].some((name) => present.has(name))
    const isGone = (name: string): boolean => !present.has(name) && !existsSync(join(root, name))
    this.forgetReplaced(isGone)
    const gone = [...this.files.keys()].filter(isGone)
    for (const [name, file] of this.files) this.files.set(name, { ...file, gone: isGone(name) })
    const removed = removesGone && !isAllGone ? gone : []
    if (removed.length > 0) {
      // Until the outputs are removed the manifest says that they are about to go.
      await this.write(false)
      for (const name of removed) {
        await removeOutput(folder, (this.files.get(name) as ManifestFile).output)
        this.files.delete(name)
      }
    }
    const done = this.changed.filter(({ name }) => this.ended.has(name))
    const refused = this.unread.size + this.work.size - done.length
    await this.write(refused === 0)
    await removeUnused(folder, this.files.values())
    return {
      inputs: this.inputs.length,
      reasons: countReasons(done),
      refused,
      ...countRecords([...present].flatMap((name) => this.files.get(name) ?? [])),
      gone: gone.length,
      removed: removed.length,
      isAllGone,
      hadDamagedManifest: this.hadDamagedManifest,
      doubts: this.inputs.flatMap(({ name, path }) =>
        (this.files.get(name)?.doubts ?? []).map((each) => ({ ...each, file: path })),
      ),
    }
  }

  /** Gives the folder back. What a run has done that ends early is noted. */
  async close(): Promise<void> {
    try {
      if (this.fresh.size > 0) await this.write(false)
    } catch {
      // The next run makes the outputs again that the manifest does not know.
    } finally {
      this.release()
    }
  }

  /** Where an input has another name now, as one that is compressed, its output may be that of the new one: it is not removed. */
  private forgetReplaced(isGone: (name: string) => boolean): void {
    const names = [...this.files.keys()]
    const outputs = new Set(names.flatMap((name) => (isGone(name) ? [] : [this.files.get(name)?.output])))
    for (const name of names)
      if (isGone(name) && outputs.has(this.files.get(name)?.output)) this.files.delete(name)
  }

  /** Finds out whether an input has to be scored. */
  private async take(given: FolderInput): Promise<void> {
    const last = this.last.get(given.name)
    const found = await lookAt(this.setting, last, given).catch((error: unknown) => {
      if (error instanceof WriteError) throw error
      this.unread.set(given.name, error)
    })
    if (found === undefined) return
    if ('reason' in found) {
      this.work.set(given.name, found)
      return
    }
    this.files.set(given.name, found)
    // What a run that was killed has left.
    if (!this.wasComplete) await removeTemporary(join(this.setting.folder, found.output))
  }

  private async write(complete: boolean): Promise<void> {
    const { folder, model, deploymentDigest, today } = this.setting
    // Most of them have been there for a while by now, so that their times identify them.
    for (const [name, file] of this.fresh) {
      const path = join(folder, file.output)
      const written = await stateOf(path)
      if (written === undefined) throw new WriteError(path, 'another program has removed it')
      this.files.set(name, { ...file, ...written })
    }
    this.fresh.clear()
    await writeManifest(folder, { model, deploymentDigest, today, complete, files: this.files })
    this.lastWrite = performance.now()
  }
}

function datesIn({ days: { hasDates, hasFutureDates } }: RunReport): ManifestFile['dates'] {
  if (hasFutureDates) return 'future'
  return hasDates ? 'some' : 'none'
}
