/**
 * Collects log lines and writes them to the standard output together: one write per line costs as much as scoring a
 * patient. When the output cannot be written, as on a full disk, lines are lost, but the service goes on.
 */
const MOST_LINES = 128
const LONGEST_WAIT_MS = 200

export class GatheredLines<Line> {
  private readonly print: (line: Line) => string
  private lines: Line[] = []
  private timer: NodeJS.Timeout | undefined

  constructor(print: (line: Line) => string) {
    this.print = print
    process.stdout.on('error', ignore)
    process.on('exit', () => this.flush())
  }

  add(line: Line): void {
    this.lines.push(line)
    if (this.lines.length >= MOST_LINES) this.flush()
    else this.timer ??= setTimeout(() => this.flush(), LONGEST_WAIT_MS).unref()
  }

  flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.lines.length === 0) return
    let text = ''
    for (const line of this.lines) text += this.print(line)
    this.lines = []
    try {
      // Lines hold ASCII only.
      process.stdout.write(text, 'latin1')
    } catch {
      // The lines are lost, and there is nowhere to report it.
    }
  }
}

function ignore(): void {
  // As above, for an error that is reported after the write.
}
