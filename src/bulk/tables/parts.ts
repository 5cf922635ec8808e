/** The answers of each input, as files beside the output. A run that is resumed keeps those that are whole. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BadFile } from '../../tables/bad-file.ts'
import { isAddress } from '../../tables/list-inputs.ts'
import { type TempFolder, identityOf, isReadOnce } from '../../tables/open-input.ts'
import { writing } from '../cannot-write.ts'
import { asideName } from '../sink.ts'
import type { TableRun } from './table-options.ts'

/** What is known of an input once it is scored. */
export interface Part {
  readonly input: string
  readonly isNumbered: boolean
  /** Columns that hold no field. */
  readonly unknown: readonly string[]
  readonly notes: readonly string[]
}

interface State {
  readonly identity: string
  readonly parts: (Part | null)[]
}

export class Parts {
  private readonly folder: string
  private readonly run: TableRun
  private readonly state: State
  private readonly canResume: boolean

  private constructor(run: TableRun, folder: string, state: State, canResume: boolean) {
    this.run = run
    this.folder = folder
    this.state = state
    this.canResume = canResume
  }

  /** With an output they lie beside it; for the standard output they are temporary. */
  static async open(run: TableRun, temporary: TempFolder): Promise<Parts> {
    const fresh = { identity: await identityOfRun(run), parts: run.inputs.map(() => null) }
    if (run.output === undefined) return new Parts(run, temporary.path, fresh, false)
    const folder = `${asideName(run.output)}.parts`
    const kept = run.isResumed ? await readState(folder) : undefined
    if (kept !== undefined && kept.identity !== fresh.identity) {
      throw new BadFile(
        'the unfinished run had other inputs, another model or other options; start without --resume',
      )
    }
    if (kept === undefined) await rm(folder, { recursive: true, force: true })
    await writing(run.output, () => mkdir(folder, { recursive: true, mode: 0o700 }))
    return new Parts(run, folder, kept ?? fresh, true)
  }

  get all(): readonly Part[] {
    return this.state.parts.filter((part) => part !== null)
  }

  get hasDone(): boolean {
    return this.all.length > 0
  }

  isDone(place: number): boolean {
    return this.state.parts[place] !== null
  }

  /** Where the engine writes a part. */
  pathOf(place: number): string {
    return join(this.folder, `part-${String(place).padStart(6, '0')}.parquet`)
  }

  async finish(place: number, part: Part): Promise<void> {
    this.state.parts[place] = part
    if (!this.canResume) return
    await writing(this.run.output ?? '', async () => {
      const aside = join(this.folder, 'state.json.new')
      await writeFile(aside, JSON.stringify(this.state), { mode: 0o600, flush: true })
      await rename(aside, join(this.folder, 'state.json'))
    })
  }

  async remove(): Promise<void> {
    if (this.canResume) await rm(this.folder, { recursive: true, force: true })
  }
}

async function readState(folder: string): Promise<State | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')) as State
  } catch {
    return undefined
  }
}

/** Everything that decides what is written: a run is resumed only where all of it is the same. */
async function identityOfRun(run: TableRun): Promise<string> {
  const { deployment, reading, inputs, to, compression, errorsTo, today } = run
  const files = await Promise.all(
    inputs.map(async ({ path, format }) => [
      path,
      format,
      isAddress(path) || isReadOnce(path) ? null : await identityOf(path),
    ]),
  )
  const settings = [deployment.name, deployment.model.digest, deployment.scorerOptions, today]
  const shape = { ...reading, map: [...reading.map] }
  return createHash('sha256')
    .update(JSON.stringify([files, settings, shape, to, compression ?? null, errorsTo ?? null]))
    .digest('hex')
}
