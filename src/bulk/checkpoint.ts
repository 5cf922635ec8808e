/** How far a run has come, beside its unfinished output: enough to continue after a power cut as if nothing had happened. */
import { open, readFile, rename, rm } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { BadFile } from '../tables/bad-file.ts'
import { writing } from './output/sink.ts'
import { type ScoreRun, identityOfRun } from './run.ts'

const VERSION = 3
/** How the checkpoints of versions 1 and 2 start. */
const TEXT_START = 'patient-risk checkpoint'

interface Saved<State> {
  readonly version: number
  readonly identity: string
  readonly state: State
}

export class Checkpoint<State> {
  /** Whether there is something to resume from. */
  exists = false
  /** Undefined for the standard output: such a run cannot be resumed. */
  private readonly path: string | undefined
  private readonly identity: string

  private constructor(path: string | undefined, identity: string) {
    this.path = path
    this.identity = identity
  }

  /** The checkpoint of this run, with the state that it resumes from. What an earlier run has left is removed otherwise. */
  static async open<State>(
    run: ScoreRun,
  ): Promise<{ readonly checkpoint: Checkpoint<State>; readonly from: State | undefined }> {
    const path = run.output === undefined ? undefined : `${run.output}.checkpoint`
    const checkpoint = new Checkpoint<State>(path, await identityOfRun(run))
    const from = run.isResumed ? await checkpoint.read() : undefined
    if (from === undefined) await checkpoint.remove()
    return { checkpoint, from }
  }

  async write(state: State): Promise<void> {
    const { path, identity } = this
    if (path === undefined) return
    await writing(path, async () => {
      const file = await open(`${path}.new`, 'w', 0o600)
      try {
        await file.writeFile(serialize({ version: VERSION, identity, state } satisfies Saved<State>))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
    })
    this.exists = true
  }

  async remove(): Promise<void> {
    if (this.path !== undefined) await rm(this.path, { force: true })
    this.exists = false
  }

  private async read(): Promise<State | undefined> {
    const bytes = await readFile(this.path ?? '').catch(() => undefined)
    if (bytes === undefined) return undefined
    const { identity, state } = savedIn<State>(bytes)
    if (identity !== this.identity) {
      throw new BadFile(
        'the unfinished run had other inputs, another model or other options; start without --resume',
      )
    }
    this.exists = true
    return state
  }
}

function savedIn<State>(bytes: Buffer): Saved<State> {
  let saved: Partial<Saved<State>> | null | undefined
  try {
    saved = deserialize(bytes) as Partial<Saved<State>> | null
  } catch {
    // It is refused as one that is not whole.
  }
  const isWhole = typeof saved?.identity === 'string'
  const isText = bytes.toString('latin1', 0, TEXT_START.length) === TEXT_START
  if (isText || (isWhole && saved?.version !== VERSION))
    throw new BadFile('the unfinished run is one of an older version; start without --resume')
  if (!isWhole)
    throw new BadFile('the checkpoint beside the output is not one, or not whole; start without --resume')
  return saved as Saved<State>
}
