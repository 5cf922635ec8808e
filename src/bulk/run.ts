/** A run over a file: it is looked at once or twice, and the result appears when it is whole. */
import { BadFile } from '../tables/bad-file.ts'
import { comesOnce, identityOf } from '../tables/open-input.ts'
import { readCheckpoint } from './checkpoint.ts'
import { identityOfRun } from './identity.ts'
import type { RunOptions } from './options.ts'
import { Pass } from './pass.ts'
import type { Summary } from './summary.ts'

/** Scores the whole input. Throws a BadFile when it cannot be read; then nothing has appeared. */
export async function run(given: RunOptions): Promise<Summary> {
  const { input, output } = given
  const file = comesOnce(input) ? undefined : await identityOf(input)
  const identity = identityOfRun(given, file)
  const kept = given.isResumed && output !== undefined ? await readCheckpoint(output) : undefined
  if (kept !== undefined && (file === undefined || kept.state.identity !== identity)) {
    throw new BadFile(
      'the unfinished run was another one: another input, model or set of options; start without --resume',
    )
  }
  const options = { ...given, today: kept?.state.today ?? given.today }
  // What has gone to the standard output cannot be taken back, so there the first look at a file writes nothing.
  const looksFirst = output === undefined && file !== undefined
  const first = new Pass(looksFirst ? withShare(options, 0) : options, {
    ...{ identity, file, writes: !looksFirst },
    ...(kept === undefined ? {} : { from: kept }),
  })
  await first.run()
  const canLookAgain = file !== undefined && !first.isSecondLook
  if (!looksFirst && !(canLookAgain && first.repeated.size > 0)) return finished(first)
  // Every record of a repeated idx must be refused, the first one too: the file is looked at again, knowing them.
  const { repeated } = first
  const second = new Pass(looksFirst ? withShare(options, 0.5) : options, {
    ...{ identity, file, writes: true, repeated },
  })
  await second.run()
  return finished(second)
}

async function finished(pass: Pass): Promise<Summary> {
  await pass.finish()
  return pass.summary
}

/** For a look that is half of the work, of which `done` is done when it begins. */
function withShare(options: RunOptions, done: number): RunOptions {
  return {
    ...options,
    onProgress: ({ records, share }) =>
      options.onProgress({ records, share: share === undefined ? undefined : done + share / 2 }),
  }
}
