/** What becomes of a command whose output nobody takes any more, as behind `| head`, or whose output has no room. */

/** What a shell shows for a program that wrote to a pipe without a reader. */
export const NOBODY_READS = 128 + 13

const watched = new WeakSet<NodeJS.WriteStream>()

/** The command ends with its output: quietly where the reader has gone, with a word where the system refuses to write. */
export function endWithOutput(output: NodeJS.WriteStream): void {
  if (watched.has(output)) return
  watched.add(output)
  output.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(NOBODY_READS)
    process.stderr.write(`The output cannot be written (${code}).\n`)
    process.exit(1)
  })
}
