/** The answers of each input, as files beside the output. A run that is resumed keeps those that are whole. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TempFolder } from '../../tables/open-input.ts'
import { Checkpoint } from '../checkpoint.ts'
import { asideName, writing } from '../output/sink.ts'
import type { ScoreRun } from '../run.ts'

/** What is known of an input once it is scored. */
export interface Part {
  readonly rows: number
  readonly isNumbered: boolean
  /** Columns that hold no field. */
  readonly unknown: readonly string[]
  readonly notes: readonly string[]
}

interface PartsState {
  /** A resumed run judges all parts by the day of the run that made the first. */
  readonly today: number
  /** The parts that are done, in the order of their inputs. */
  readonly done: Part[]
}

export class Parts {
  readonly state: PartsState
  private readonly folder: string
  private readonly checkpoint: Checkpoint<PartsState>

  private constructor(folder: string, state: PartsState, checkpoint: Checkpoint<PartsState>) {
    this.folder = folder
    this.state = state
    this.checkpoint = checkpoint
  }

  /** With an output they lie beside it; for the standard output they are temporary. */
  static async open({ output, ...run }: ScoreRun, temporary: TempFolder): Promise<Parts> {
    const { checkpoint, from } = await Checkpoint.open<PartsState>({ output, ...run })
    const folder = output === undefined ? join(temporary.path, 'parts') : `${asideName(output)}.parts`
    if (from === undefined) await rm(folder, { recursive: true, force: true })
    await writing(output ?? folder, () => mkdir(folder, { recursive: true, mode: 0o700 }))
    return new Parts(folder, from ?? { today: run.today, done: [] }, checkpoint)
  }

  /** Where the engine writes a part. */
  pathOf(place: number): string {
    return join(this.folder, `part-${String(place).padStart(6, '0')}.parquet`)
  }

  async add(part: Part): Promise<void> {
    this.state.done.push(part)
    await this.checkpoint.write(this.state)
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
    await this.checkpoint.remove()
  }
}
