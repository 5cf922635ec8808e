/** Scores a JSON or NDJSON file: it is read once or twice, and the result appears when it is whole. */
import { createHash } from 'node:crypto'
import { BadFile } from '../../tables/bad-file.ts'
import { identityOf, isReadOnce } from '../../tables/open-input.ts'
import type { Summary } from '../summary.ts'
import { readCheckpoint } from './checkpoint.ts'
import { Pass } from './pass.ts'
import type { LinesRun } from './prepare.ts'

/** Throws a BadFile when the input cannot be read; then nothing has appeared under the output's name. */
export async function scoreLines(given: LinesRun): Promise<Summary> {
  const { input, output } = given
  const file = isReadOnce(input) ? undefined : await identityOf(input)
  const identity = identityOfRun(given, file)
  const kept = given.isResumed && output !== undefined ? await readCheckpoint(output) : undefined
  if (kept !== undefined && (file === undefined || kept.state.identity !== identity)) {
    throw new BadFile(
      'the unfinished run had another input, another model or other options; start without --resume',
    )
  }
  const run = { ...given, today: kept?.state.today ?? given.today }
  // The standard output cannot be taken back, so the first pass over a file writes nothing there.
  const looksFirst = output === undefined && file !== undefined
  const first = new Pass(looksFirst ? withShare(run, 0) : run, {
    ...{ identity, file, writes: !looksFirst },
    ...(kept === undefined ? {} : { from: kept }),
  })
  await first.run()
  const canReadAgain = file !== undefined && !first.isSecondPass
  if (!looksFirst && !(canReadAgain && first.repeated.size > 0)) return finished(first)
  // Every record of a repeated idx is refused, the first one too: the file is read again with all of them known.
  const { repeated } = first
  const second = new Pass(looksFirst ? withShare(run, 0.5) : run, {
    ...{ identity, file, writes: true, repeated },
  })
  await second.run()
  return finished(second)
}

async function finished(pass: Pass): Promise<Summary> {
  await pass.finish()
  return pass.summary
}

/** For a pass that is half of the work, of which `done` is done when it starts. */
function withShare(run: LinesRun, done: number): LinesRun {
  return {
    ...run,
    onProgress: ({ records, share }) =>
      run.onProgress({ records, share: share === undefined ? undefined : done + share / 2 }),
  }
}

/** Everything that decides what is written. `file` says what the input is; undefined for a pipe. */
function identityOfRun(run: LinesRun, file: string | undefined): string {
  const { deployment, from, to, compression, errors, errorsTo, map, keep, isNumbered } = run
  const settings = [deployment.name, deployment.model.digest, deployment.scorerOptions]
  const shape = [from, to, compression ?? null, errors ?? null, errorsTo ?? null, [...map], keep, isNumbered]
  return createHash('sha256')
    .update(JSON.stringify([file ?? null, settings, shape, run.chunkBytes ?? null]))
    .digest('hex')
}
