/** How far a run has come, beside its unfinished output: enough to continue after a power cut as if nothing had happened. */
import { hash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { BadFile } from '../tables/bad-file.ts'
import { isAddress } from '../tables/list-inputs.ts'
import { identityOf, isReadOnce } from '../tables/open-input.ts'
import { writing } from './output/sink.ts'
import type { ScoreRun } from './run.ts'

const VERSION = 3
/** How the checkpoints of versions 1 and 2 start. */
const TEXT_START = 'patient-risk checkpoint'

interface Saved<State> {
  readonly version: number
  readonly identity: string
  readonly state: State
}

export interface Checkpoint<State> {
  /** What a resumed run continues from. */
  readonly from: State | undefined
  /** Whether there is something to resume from. */
  exists(): boolean
  write(state: State): Promise<void>
  remove(): Promise<void>
}

/** The checkpoint of this run. What an earlier run has left is removed unless the run is resumed. */
export async function openCheckpoint<State>(run: ScoreRun): Promise<Checkpoint<State>> {
  // A run to the standard output cannot be resumed.
  const path = run.output === undefined ? undefined : `${run.output}.checkpoint`
  const identity = await identityOfRun(run)
  const from = run.isResumed && path !== undefined ? await stateIn<State>(path, identity) : undefined
  let exists = from !== undefined
  const remove = async (): Promise<void> => {
    if (path !== undefined) await rm(path, { force: true })
    exists = false
  }
  if (from === undefined) await remove()
  return {
    from,
    exists: () => exists,
    remove,
    async write(state) {
      if (path === undefined) return
      const saved: Saved<State> = { version: VERSION, identity, state }
      await writing(path, async () => {
        await writeFile(`${path}.new`, serialize(saved), { mode: 0o600, flush: true })
        await rename(`${path}.new`, path)
      })
      exists = true
    },
  }
}

async function stateIn<State>(path: string, identity: string): Promise<State | undefined> {
  const bytes = await readFile(path).catch(() => undefined)
  if (bytes === undefined) return undefined
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
  if (saved?.identity !== identity)
    throw new BadFile(
      'the unfinished run had other inputs, another model or other options; start without --resume',
    )
  return saved.state
}

/** Everything that decides what is written: a run is resumed only where all of it is the same. */
async function identityOfRun(run: ScoreRun): Promise<string> {
  const { deployment, reading, inputs, to, compression, errors, errorsTo, chunkBytes } = run
  const files = await Promise.all(
    inputs.map(async ({ path, format }) => [
      path,
      format,
      isAddress(path) || isReadOnce(path) ? null : await identityOf(path),
    ]),
  )
  const settings = [deployment.name, deployment.model.digest, deployment.scorerOptions]
  const shape = [{ ...reading, map: [...reading.map] }, to, compression, errors, errorsTo, chunkBytes]
  return hash('sha256', JSON.stringify([files, settings, shape]), 'hex')
}
