/** Ends a command whose output cannot be written: its reader has gone, as after `| head`, or there is no room. */

/** What a shell shows for a program that wrote to a pipe without a reader. */
export const NOBODY_READS = 128 + 13

const watched = new WeakSet<NodeJS.WriteStream>()

/** Quietly where the reader has gone, with a message where the system refuses to write. */
export function endWithOutput(output: NodeJS.WriteStream): void {
  if (watched.has(output)) return
  watched.add(output)
  output.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(NOBODY_READS)
    process.stderr.write(`The output cannot be written (${code}).\n`)
    process.exit(1)
  })
}
