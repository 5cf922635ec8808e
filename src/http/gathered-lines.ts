/**
 * Gathers lines for the standard output and writes them together: a write for each would cost as much as the score of
 * a patient. An output that cannot be written, as on a full disk, loses lines; it never stops the service.
 */

const GATHERED_CHARACTERS = 8_192
const LONGEST_WAIT_MS = 200

export class GatheredLines {
  private text = ''
  private timer: NodeJS.Timeout | undefined

  constructor() {
    process.stdout.on('error', ignore)
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    this.text += line
    if (this.text.length >= GATHERED_CHARACTERS) this.flush()
    else this.timer ??= setTimeout(() => this.flush(), LONGEST_WAIT_MS).unref()
  }

  flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const { text } = this
    this.text = ''
    if (text === '') return
    try {
      process.stdout.write(text)
    } catch {
      // There is no room for the lines, and nowhere else to say so.
    }
  }
}

function ignore(): void {
  // As above: an error that comes later than the write.
}
