/** The answers of each input, as files beside the output. A run that is resumed keeps those that are whole. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TempFolder } from '../../tables/open-input.ts'
import { Checkpoint } from '../checkpoint.ts'
import { writing } from '../output/cannot-write.ts'
import { asideName } from '../output/sink.ts'
import type { ScoreRun } from '../run.ts'

/** What is known of an input once it is scored. */
export interface Part {
  readonly isNumbered: boolean
  /** Columns that hold no field. */
  readonly unknown: readonly string[]
  readonly notes: readonly string[]
}

interface PartsState {
  readonly today: number
  /** The parts that are done, by the place of their input. */
  readonly done: Map<number, Part>
}

export class Parts {
  private readonly folder: string
  private readonly state: PartsState
  private readonly checkpoint: Checkpoint<PartsState>

  private constructor(folder: string, state: PartsState, checkpoint: Checkpoint<PartsState>) {
    this.folder = folder
    this.state = state
    this.checkpoint = checkpoint
  }

  /** With an output they lie beside it; for the standard output they are temporary. */
  static async open(run: ScoreRun, temporary: TempFolder): Promise<Parts> {
    const { checkpoint, from } = await Checkpoint.open<PartsState>(run)
    const fresh = { today: run.today, done: new Map<number, Part>() }
    if (run.output === undefined) return new Parts(temporary.path, fresh, checkpoint)
    const folder = `${asideName(run.output)}.parts`
    if (from === undefined) await rm(folder, { recursive: true, force: true })
    await writing(run.output, () => mkdir(folder, { recursive: true, mode: 0o700 }))
    return new Parts(folder, from ?? fresh, checkpoint)
  }

  get all(): readonly Part[] {
    return [...this.state.done.values()]
  }

  /** The day of the run that made the first part: a resumed one judges the others by it too. */
  get today(): number {
    return this.state.today
  }

  isDone(place: number): boolean {
    return this.state.done.has(place)
  }

  /** Where the engine writes a part. */
  pathOf(place: number): string {
    return join(this.folder, `part-${String(place).padStart(6, '0')}.parquet`)
  }

  async finish(place: number, part: Part): Promise<void> {
    this.state.done.set(place, part)
    await this.checkpoint.write(this.state)
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
    await this.checkpoint.remove()
  }
}
