/** Tells one run from another: everything that decides what is written. */
import { createHash } from 'node:crypto'
import type { RunOptions } from './options.ts'

/** `file` says what the input is; undefined for a pipe, of which nothing can be said. */
export function identityOfRun(options: RunOptions, file: string | undefined): string {
  const { deployment, from, to, gzip, errors, errorsTo, map, keep, isNumbered, delimiter, hasDecimalComma } =
    options
  const settings = [deployment.name, deployment.model.digest, deployment.scorerOptions]
  const shape = [
    from,
    to,
    gzip,
    errors ?? null,
    errorsTo ?? null,
    [...map],
    keep,
    isNumbered,
    delimiter ?? null,
    hasDecimalComma,
  ]
  const size = options.chunkBytes ?? null
  return createHash('sha256')
    .update(JSON.stringify([file ?? null, settings, shape, size]))
    .digest('hex')
}
