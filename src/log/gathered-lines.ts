/**
 * Gathers lines for the standard output, and prints and writes them together: a write for each would cost as much as the
 * score of a patient. An output that cannot be written, as on a full disk, loses lines; it never stops the service.
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
      // A character for each byte: lines hold nothing else.
      process.stdout.write(text, 'latin1')
    } catch {
      // There is no room for the lines, and nowhere else to say so.
    }
  }
}

function ignore(): void {
  // As above: an error that comes later than the write.
}
