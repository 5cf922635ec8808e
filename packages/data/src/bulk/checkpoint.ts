/** The progress of a run, stored next to its unfinished output: enough to continue after a power cut with the same result. */
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { BadFile } from '../tables/bad-file.ts'
import { identitiesOf } from '../tables/open-input.ts'
import { writeWhole } from './output/sink.ts'
import type { ScoreRun } from './run.ts'

const VERSION = 7
/** How the checkpoints of versions 1 and 2 start. */
const TEXT_START = 'patient-risk checkpoint'

interface Saved<State> {
  readonly version: number
  readonly identity: string
  /** Every part of a run is judged by the day on which it began. */
  readonly today: number
  readonly state: State
}

export interface Checkpoint<State> {
  /** The run, by the day of the one that it continues. */
  readonly run: ScoreRun
  readonly from: State | undefined
  exists(): boolean
  write(state: State): Promise<void>
  remove(): Promise<void>
}

/** The checkpoint of this run. What an earlier run has left is removed unless the run is resumed. */
export async function openCheckpoint<State>(given: ScoreRun): Promise<Checkpoint<State>> {
  // A run to the standard output cannot be resumed.
  const path = given.output === undefined ? undefined : `${given.output}.checkpoint`
  const identity = await identityOfRun(given)
  const saved = given.isResumed && path !== undefined ? await savedIn<State>(path, identity) : undefined
  const today = saved?.today ?? given.today
  const remove = async (): Promise<void> => {
    if (path !== undefined) await rm(path, { force: true })
  }
  if (saved === undefined) await remove()
  return {
    run: { ...given, today },
    from: saved?.state,
    exists: () => path !== undefined && existsSync(path),
    remove,
    async write(state) {
      const bytes = serialize({ version: VERSION, identity, today, state } satisfies Saved<State>)
      if (path !== undefined) await writeWhole(path, (temp) => writeFile(temp, bytes))
    },
  }
}

async function savedIn<State>(path: string, identity: string): Promise<Saved<State> | undefined> {
  const bytes = await readFile(path).catch(() => undefined)
  if (bytes === undefined) return undefined
  let saved: Partial<Saved<State>> | null | undefined
  try {
    saved = deserialize(bytes) as Partial<Saved<State>> | null
  } catch {
    // It is refused below.
  }
  const refuse = (fault: string): never => {
    throw new BadFile(`${fault}; start without --resume`)
  }
  const isWhole = typeof saved?.identity === 'string'
  const isText = bytes.toString('latin1', 0, TEXT_START.length) === TEXT_START
  if (isText || (isWhole && saved?.version !== VERSION)) refuse('the unfinished run is from an older version')
  if (!isWhole) refuse('the checkpoint next to the output is damaged or incomplete')
  if (saved?.identity !== identity)
    refuse('the unfinished run had other inputs, another model or other options')
  return saved as Saved<State>
}

/** Everything that decides what is written: a run is resumed only where all of it is the same. */
async function identityOfRun(run: ScoreRun): Promise<string> {
  const { deployment, columnOptions, inputs, to, compression, errors, errorsTo, chunkBytes, parts, source } =
    run
  const settings = [deployment.name, deployment.model.digest, deployment.scorerOptions]
  const options = { ...columnOptions, map: [...columnOptions.map] }
  const shape = [options, to, compression, errors, errorsTo, chunkBytes, source, ...parts]
  return hash('sha256', JSON.stringify([inputs, await identitiesOf(inputs), settings, shape]), 'hex')
}
